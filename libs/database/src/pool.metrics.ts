import { gauge, type Metrics } from '@posthorn/telemetry';
import type { Database } from './database.js';

const connections = gauge(
  'posthorn_postgres_connections',
  'Connections to Postgres, by pool and what they do.',
  ['pool', 'state'],
);
const limit = gauge('posthorn_postgres_connections_limit', 'Connections that a pool opens at most.', [
  'pool',
]);
const waiting = gauge('posthorn_postgres_waiting', 'Statements that wait for a connection of their pool.', [
  'pool',
]);

export function measurePools(metrics: Metrics, database: Database): void {
  metrics.gauge(connections, () =>
    database.pools.flatMap(({ pool, total, idle }) => [
      [{ pool, state: 'in_use' }, total - idle] as const,
      [{ pool, state: 'idle' }, idle] as const,
    ]),
  );
  metrics.gauge(limit, () => database.pools.map(({ pool, max }) => [{ pool }, max] as const));
  metrics.gauge(waiting, () => database.pools.map(({ pool, waiting: count }) => [{ pool }, count] as const));
}
