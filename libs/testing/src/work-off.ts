import type { Database } from '@posthorn/database';
import { WakeUps, type BusConnection } from '@posthorn/messaging';
import { Metrics, Tracing } from '@posthorn/telemetry';
import { WorkRunner } from '@posthorn/work';
import { eventually } from './eventually.js';

/** Runs all work of the kinds that `register` registers while the service itself does not run. */
export async function workOff(
  { database, connection }: { database: Database; connection: BusConnection },
  register: (runner: WorkRunner) => unknown,
  kind: string,
): Promise<void> {
  const wakeUps = new WakeUps(connection, 'contacts');
  const runner = new WorkRunner({
    database,
    wakeUps,
    metrics: new Metrics('test'),
    tracing: new Tracing(),
    leaseMs: 10_000,
  });
  register(runner);
  runner.onApplicationBootstrap();
  try {
    await eventually(async () => {
      const left = await database.query(
        `SELECT 1 FROM work_items WHERE kind = $1 AND (state IN ('READY', 'CLAIMED', 'SUSPECT') OR state = 'WAITING' AND due_at <= now()) LIMIT 1`,
        [kind],
      );
      return left.length === 0;
    }, `all work of ${kind} is done`);
  } finally {
    await runner.onModuleDestroy();
  }
}
