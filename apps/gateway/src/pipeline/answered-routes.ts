import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Bus } from '@posthorn/messaging';
import { RouteTable, type Route } from '../routes/route-table.js';
import type { Handler } from '../routes/route.js';

/** The routes, and what answers each: its call over the bus, or the method of its controller. */
@Injectable()
export class AnsweredRoutes {
  constructor(
    readonly table: RouteTable,
    private readonly modules: ModuleRef,
    private readonly bus: Bus,
  ) {}

  handlerOf({ name, answeredBy }: Route): Handler {
    if (typeof answeredBy === 'function') return (request) => answeredBy(this.bus, request);
    const controller = this.modules.get<Record<string, Handler>>(answeredBy.controller, { strict: false });
    return (request) => controller[name]!(request);
  }
}
