import { newId } from '@posthorn/database';
import { work } from '@posthorn/work';
import pg from 'pg';
import { waitMs, type Bench } from '../bench.js';
import { benchClaims } from './claims.js';
import { WorkFixture } from './work-fixture.js';

const batch = 100;
const lanes = 2;
const kind = work('contacts.nothing', { batch, concurrency: lanes });

interface Rates {
  /** Enqueued and done. */
  both: number;
  done: number;
}

export async function benchWork(bench: Bench): Promise<void> {
  await benchThroughput(bench);
  await benchClaims(bench);
}

/** What the queue costs by itself: items that do nothing, beside rows that are inserted, found and deleted by hand. */
async function benchThroughput({ servers, scale, rows }: Bench): Promise<void> {
  const fixture = await WorkFixture.make(servers, 'throughput');
  const ours: Rates[] = [];
  const theirs: Rates[] = [];
  for (let round = 0; round < scale.rounds; round += 1) {
    theirs.push(await byHand(fixture, scale.large));
    ours.push(await byQueue(fixture, scale.large));
  }
  await fixture.close();
  const of = (rates: Rates[], member: keyof Rates) => waitMs(rates.map((each) => each[member]));
  rows.push(
    {
      name: 'work: items/s enqueued and done',
      product: of(ours, 'both'),
      reference: of(theirs, 'both'),
      floorPercent: 25,
    },
    { name: 'work: items/s done by one process', product: of(ours, 'done'), floor: 5_000 },
  );
}

async function byQueue(fixture: WorkFixture, items: number): Promise<Rates> {
  const projectId = newId();
  const enqueuing = await fixture.start(kind);
  const began = performance.now();
  await inLanes(items, () =>
    enqueuing.queue.enqueue(
      kind,
      Array.from({ length: batch }, () => ({ projectId })),
    ),
  );
  const enqueued = performance.now();
  let left = Math.ceil(items / batch) * batch;
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const doing = await fixture.start(kind, {
    run: async (claimed) => {
      await claimed.complete();
      left -= claimed.items.length;
      if (left === 0) finish();
    },
  });
  await finished;
  const rates = ratesOf(items, began, enqueued);
  await Promise.all([enqueuing.stop(), doing.stop()]);
  return rates;
}

async function byHand({ url }: WorkFixture, items: number): Promise<Rates> {
  const pool = new pg.Pool({ connectionString: url, max: lanes });
  await pool.query('DROP TABLE IF EXISTS rows_by_hand');
  await pool.query(
    `CREATE TABLE rows_by_hand (id uuid PRIMARY KEY, project_id uuid NOT NULL, due_at timestamptz NOT NULL DEFAULT now(), payload jsonb NOT NULL DEFAULT '{}')`,
  );
  await pool.query('CREATE INDEX ON rows_by_hand (project_id, due_at)');
  const projectId = newId();
  const began = performance.now();
  await inLanes(items, () =>
    pool.query({
      name: 'insert',
      text: 'INSERT INTO rows_by_hand (id, project_id) SELECT id, $2 FROM unnest($1::uuid[]) AS id',
      values: [Array.from({ length: batch }, newId), projectId],
    }),
  );
  const enqueued = performance.now();
  await inLanes(items, async () => {
    const { rows } = await pool.query<{ id: string }>({
      name: 'find',
      text: "UPDATE rows_by_hand SET due_at = now() + interval '1 minute' WHERE id = ANY(ARRAY(SELECT id FROM rows_by_hand WHERE project_id = $1 AND due_at <= now() ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING id",
      values: [projectId, batch],
    });
    await pool.query({
      name: 'delete',
      text: 'DELETE FROM rows_by_hand WHERE id = ANY($1)',
      values: [rows.map(({ id }) => id)],
    });
  });
  const rates = ratesOf(items, began, enqueued);
  await pool.end();
  return rates;
}

async function inLanes(items: number, once: () => Promise<unknown>): Promise<void> {
  let left = Math.ceil(items / batch);
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await once();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

const perSecond = (items: number, since: number): number => (items / (performance.now() - since)) * 1_000;
const ratesOf = (items: number, began: number, enqueued: number): Rates => ({
  both: perSecond(items, began),
  done: perSecond(items, enqueued),
});
