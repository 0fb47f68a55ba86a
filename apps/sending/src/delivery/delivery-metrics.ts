import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { Gauge, Registry } from 'prom-client';
import { ClaimsRepository } from './claims.repository.js';
import type { DeliveryState } from './delivery.entity.js';

/** What an operator looks at first: how long mail waits, and how much of it is in doubt. */
@Injectable()
export class DeliveryMetrics {
  constructor(claims: ClaimsRepository, database: Database, metrics: Registry) {
    const oldest: Gauge = new Gauge({
      name: 'posthorn_oldest_due_delivery_seconds',
      help: 'How long the oldest message that is due has waited.',
      registers: [metrics],
      collect: async (): Promise<void> => oldest.set(await claims.oldestDueSeconds()),
    });
    const states: Gauge<'state'> = new Gauge({
      name: 'posthorn_deliveries_on_their_way',
      help: 'Messages that are claimed, in hand-off or ambiguous.',
      labelNames: ['state'],
      registers: [metrics],
      collect: async (): Promise<void> => {
        const rows = await database.query<{ state: DeliveryState; count: number }>(
          `SELECT state, count(*) FROM deliveries WHERE state IN ('CLAIMED', 'HANDOFF', 'AMBIGUOUS') GROUP BY state`,
        );
        states.reset();
        for (const { state, count } of rows) states.set({ state }, count);
      },
    });
  }
}
