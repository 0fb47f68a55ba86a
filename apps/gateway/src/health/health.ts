import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  busAccess,
  noProject,
  overdueMail,
  serviceCaller,
  type RequestContract,
  type ServiceName,
} from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Bus, BusConnection } from '@posthorn/messaging';
import { GatewayConfig } from '../config.js';
import type { EdgeAdapter, Fastify } from '../wire/fastify.js';

/** `/healthz` is for people: 200 if every service responds (docs/api-decisions.md §14). Orchestrators use `/readyz` of each process. */
@Injectable()
export class Health implements OnApplicationBootstrap {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly database: Database,
    private readonly connection: BusConnection,
    private readonly bus: Bus,
    private readonly config: GatewayConfig,
  ) {}

  onApplicationBootstrap(): void {
    (this.host.httpAdapter as unknown as EdgeAdapter)
      .getInstance<Fastify>()
      .get('/healthz', async (_, reply) => {
        const parts = await this.check();
        const ok = Object.values(parts).every((part) => part === 'ok');
        const notes = await this.notes();
        return reply.code(ok ? 200 : 503).send({ status: ok ? 'ok' : 'unavailable', parts, ...notes });
      });
  }

  private async check(): Promise<Record<string, 'ok' | 'silent'>> {
    const owners = new Map<ServiceName, RequestContract>(
      busAccess.gateway.calls.map((contract) => [contract.owner, contract]),
    );
    const requested: [string, Promise<unknown>][] = [
      ['postgres', this.database.query('SELECT 1')],
      ...[...owners].map(([owner, contract]): [string, Promise<unknown>] => [owner, this.request(contract)]),
    ];
    const settled = await Promise.allSettled(requested.map(([, answer]) => answer));
    return Object.fromEntries(
      requested.map(([name], index) => [name, settled[index]!.status === 'fulfilled' ? 'ok' : 'silent']),
    );
  }

  /** What an operator must decide does not make a service unhealthy. */
  private async notes(): Promise<{ notes?: string[] }> {
    const { count } = await this.bus
      .call(
        overdueMail.held,
        serviceCaller('gateway', noProject),
        {},
        { timeoutMs: this.config.databaseWaitMs },
      )
      .catch(() => ({ count: 0 }));
    if (count === 0) return {};
    return {
      notes: [
        `${count} overdue messages are held: list them with "posthorn deliveries held", then release or drop them`,
      ],
    };
  }

  /** An empty batch, which every handler answers with an empty reply. */
  private async request({ subject }: RequestContract): Promise<void> {
    if (!this.connection.connected) throw new Error('not connected to NATS');
    await this.connection.nats.request(`call.${subject}`, '[]', { timeout: this.config.databaseWaitMs });
  }
}
