import { setTimeout as delay } from 'node:timers/promises';
import { work, type WorkHandler } from '../queue/work-kind.js';
import type { ClaimedItem, WorkItem } from '../queue/claimed-columns.js';
import type { WorkBatch } from '../runner/work-batch.js';
import type { WorkProcess } from './work-suite.js';

export type Script =
  | { does: 'succeeds' }
  | { does: 'fails'; times: number; throws: boolean }
  | { does: 'always fails'; throws: boolean }
  | { does: 'fails in company' }
  | { does: 'puts itself off'; delayMs: number }
  | { does: 'goes on'; steps: number }
  /** Enqueues itself again while it is claimed, `times` times; each run has to see the newest version. */
  | { does: 'is enqueued again'; times: number }
  | { does: 'takes its time'; ms: number }
  | { does: 'kills its process' };

export interface ScriptedPayload {
  script: Script;
  name: string;
  /** Of a script that goes on: how far it is. */
  step: number;
}

const retry = { attempts: 4, firstMs: 5, maxMs: 40 };

/** Two kinds with one handler: in batches, and one of a project at a time. */
export const scriptedWork = work<ScriptedPayload>('contacts.scripted', { batch: 10, concurrency: 2, retry });
export const exclusiveWork = work<ScriptedPayload>('contacts.exclusive', {
  exclusive: true,
  concurrency: 2,
  retry,
});

/** Enqueues the item again with a new version, which the run that comes then has to see. */
export async function enqueueVersion(
  { database, queue }: WorkProcess,
  kind: typeof scriptedWork,
  projectId: string,
  payload: ScriptedPayload,
): Promise<void> {
  await database.transaction(async () => {
    await database.query(
      `INSERT INTO versions (item, version) VALUES ($1, 1) ON CONFLICT (item) DO UPDATE SET version = versions.version + 1`,
      [payload.name],
    );
    await queue.enqueue(kind, [{ projectId, key: payload.name, payload }]);
  });
}

/** Does what the items say: what is to be seen of one is written in the transaction that gives it its outcome. */
export class ScriptedWork implements WorkHandler<ScriptedPayload> {
  constructor(
    private readonly process: WorkProcess,
    private readonly kind: typeof scriptedWork,
  ) {
    process.runner.register(kind, this);
  }

  async run(batch: WorkBatch<ScriptedPayload>): Promise<void> {
    const { database } = this.process;
    const claimed = batch.items as readonly ClaimedItem<ScriptedPayload>[];
    // Not of one that others have by now: its run comes to nothing.
    await database.query(
      `INSERT INTO runs (item) SELECT payload ->> 'name' FROM work_items JOIN unnest($1::uuid[], $2::bigint[]) AS c (id, lease_token) USING (id, lease_token)`,
      [claimed.map(({ id }) => id), claimed.map(({ leaseToken }) => leaseToken)],
    );
    await database.transaction(async () => {
      for (const item of batch.items) await this.act(item, batch);
    });
  }

  async dead({ payload }: WorkItem<ScriptedPayload>): Promise<void> {
    await this.process.database.query(`INSERT INTO deaths (item) VALUES ($1)`, [payload.name]);
  }

  private async act(item: WorkItem<ScriptedPayload>, batch: WorkBatch<ScriptedPayload>): Promise<void> {
    const { script, step } = item.payload;
    switch (script.does) {
      case 'succeeds':
        return this.complete(item, batch);
      case 'fails':
        return item.failures < script.times
          ? this.fail(item, batch, script.throws)
          : this.complete(item, batch);
      case 'always fails':
        return this.fail(item, batch, script.throws);
      case 'fails in company':
        if (batch.items.length > 1) throw new Error('in company');
        return this.complete(item, batch);
      case 'puts itself off':
        if (step > 0) return this.complete(item, batch);
        await batch.hold(item, { ...item.payload, step: 1 });
        return batch.postpone([item], script.delayMs);
      case 'goes on':
        return this.goOn(item, batch, script.steps);
      case 'is enqueued again':
        return this.enqueueAgain(item, batch, script.times);
      case 'takes its time':
        await delay(script.ms);
        return this.complete(item, batch);
      case 'kills its process':
        await this.process.database.apart(() =>
          this.process.database.query(`INSERT INTO kills (item) VALUES ($1)`, [item.payload.name]),
        );
        process.kill(process.pid, 'SIGKILL');
        return delay(60_000);
    }
  }

  private async complete(
    item: WorkItem<ScriptedPayload>,
    batch: WorkBatch<ScriptedPayload>,
    step = 0,
    version = 0,
  ): Promise<void> {
    await this.process.database.query(`INSERT INTO effects (item, step, version) VALUES ($1, $2, $3)`, [
      item.payload.name,
      step,
      version,
    ]);
    await batch.complete([item]);
  }

  private fail(item: WorkItem<ScriptedPayload>, batch: WorkBatch<ScriptedPayload>, throws: boolean): void {
    const error = new Error(`failure ${item.failures + 1}`);
    if (throws) throw error;
    batch.fail(item, error);
  }

  private async goOn(
    item: WorkItem<ScriptedPayload>,
    batch: WorkBatch<ScriptedPayload>,
    steps: number,
  ): Promise<void> {
    const { step } = item.payload;
    if (step + 1 === steps) return this.complete(item, batch, step);
    await this.process.database.query(`INSERT INTO effects (item, step) VALUES ($1, $2)`, [
      item.payload.name,
      step,
    ]);
    await batch.hold(item, { ...item.payload, step: step + 1 });
    await batch.continueLater([item]);
  }

  private async enqueueAgain(
    item: WorkItem<ScriptedPayload>,
    batch: WorkBatch<ScriptedPayload>,
    times: number,
  ): Promise<void> {
    const { database } = this.process;
    const [row] = await database.query<{ version: number }>(`SELECT version FROM versions WHERE item = $1`, [
      item.payload.name,
    ]);
    const { version } = row!;
    if (version <= times)
      await database.apart(() => enqueueVersion(this.process, this.kind, item.projectId, item.payload));
    await this.complete(item, batch, 0, version);
  }
}
