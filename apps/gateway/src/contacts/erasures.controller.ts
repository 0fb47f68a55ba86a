import { Controller } from '@nestjs/common';
import { Erasure, erasureNotFound, erasures } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Get } from '../edge/routes/route.js';

@Controller()
export class ErasuresController {
  constructor(private readonly bus: Bus) {}

  @Get('erasures/:id', {
    summary: 'Get the progress of an erasure by the id of the deleted contact',
    scope: 'contacts:write',
    reply: Erasure,
    missing: erasureNotFound,
  })
  get({ caller, params }: RouteRequest): Promise<Erasure> {
    return this.bus.call(erasures.get, caller, { id: params['id']! });
  }
}
