import { newId } from '@posthorn/database';
import { work, type WorkHandler, type WorkKind } from '@posthorn/work';
import { waitMs, type Bench } from '../bench.js';
import { inDatabase } from '../databases.js';
import { WorkFixture } from './work-fixture.js';

const few = 1_000;
const turns = 6;
const claimsOfATurn = 60;
/** Of each turn: connections plan, pages are read. */
const warm = 10;
const maxTimes = 1.2;

/** What is claimed, and what Postgres tells of it. */
interface Measured {
  kind: WorkKind;
  batch: number;
  projects: readonly string[];
  statements: readonly string[];
  /** What is enqueued for each item that is done. */
  next: (projectId: string) => { projectId: string };
}

/** What a claim costs with few and with many items waiting. */
export async function benchClaims(bench: Bench): Promise<void> {
  const batch = 100;
  const kind = work('contacts.claimed', { batch, mixed: true });
  for (const count of [1, few]) {
    const projects = Array.from({ length: count }, newId);
    const measured = {
      kind,
      batch,
      projects,
      statements: ['claim'],
      next: (projectId: string) => ({ projectId }),
    };
    const of = count === 1 ? 'one project' : `${count} projects`;
    const name = `work: ms to claim ${batch} of ${bench.scale.waiting} items, ${of}`;
    await compare(bench, name, measured, (fixture, items) => fixture.fill(kind, items, projects));
  }
}

/** Timers that end while it is measured, and are set again: more than a claim takes. */
const active = 640;
const shortMs = 20;
const waitingSql = `INSERT INTO work_items (id, kind, project_id, key, state, due_at)
  SELECT uuidv7(), $1, ($2::uuid[])[1 + n % 20], gen_random_uuid()::text, 'WAITING',
    CASE WHEN n < ${active} THEN now() ELSE now() + interval '1 hour' + n * interval '1 second' END
  FROM generate_series(0, $3::int + ${active} - 1) AS n`;

/** What it costs to find and to claim timers that are due, while few and while many others wait; as many are taken as the engine of workflows takes. */
export async function benchTimers(bench: Bench): Promise<void> {
  const batch = 64;
  const kind = work('contacts.timers', { batch, mixed: true });
  const projects = Array.from({ length: 20 }, newId);
  const next = (projectId: string) => ({ projectId, key: newId(), delayMs: shortMs });
  const measured = { kind, batch, projects, statements: ['claim', 'look for'], next };
  const name = `workflows: ms to find and claim ${batch} timers while ${bench.scale.waiting} wait, beside ${few}`;
  await compare(bench, name, measured, (fixture, waiting) =>
    inDatabase(fixture.url, async (client) => {
      await client.query(waitingSql, [kind.name, projects, waiting]);
      await client.query('VACUUM (ANALYZE) work_items');
      await client.query('CHECKPOINT');
    }),
  );
}

/** As Postgres itself says; few and many take turns. */
async function compare(
  { servers, scale, rows, readers }: Bench,
  name: string,
  measured: Measured,
  fill: (fixture: WorkFixture, items: number) => Promise<unknown>,
): Promise<void> {
  const sides: { fixture: WorkFixture; costs: number[] }[] = [];
  for (const items of [few, scale.waiting]) {
    const { kind, projects } = measured;
    const database = `${kind.name.split('.')[1]}_${projects.length}_${items}`;
    const fixture = await WorkFixture.make(servers, database);
    await fill(fixture, items);
    await inDatabase(fixture.url, (client) =>
      client.query(`ALTER DATABASE posthorn_${database} SET log_min_duration_statement = 0`),
    );
    sides.push({ fixture, costs: [] });
  }
  // After a checkpoint each page that is touched is written as a whole once: that is no part of a claim.
  for (const { fixture } of sides) await costOn(fixture, measured, readers);
  for (let turn = 0; turn < turns; turn += 1)
    for (const { fixture, costs } of turn % 2 ? [...sides].reverse() : sides)
      costs.push(await costOn(fixture, measured, readers));
  const [small, large] = sides.map(({ costs }) => waitMs(costs));
  rows.push({ name, product: large!, reference: small!, ceilingTimes: maxTimes });
  await Promise.all(sides.map(({ fixture }) => fixture.close()));
}

/** Milliseconds for a batch of items, where as many are enqueued as are done. A claim may find less than a batch. */
async function costOn(
  fixture: WorkFixture,
  { kind, batch, projects, statements, next }: Measured,
  readers: Bench['readers'],
): Promise<number> {
  const took = new Map<string, number[]>(statements.map((name) => [name, []]));
  let claimed = 0;
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const read = (line: string): void => {
    const [, ms, what] =
      /duration: ([\d.]+) ms {2}execute (claim|look for) work(?: after)?:/.exec(line) ?? [];
    took.get(what ?? '')?.push(Number(ms));
    if (took.get('claim')!.length === claimsOfATurn) finish();
  };
  readers.add(read);
  const random = () => projects[Math.floor(Math.random() * projects.length)]!;
  const run: WorkHandler<object>['run'] = async ({ items }) => {
    claimed += items.length;
    await worker.queue.enqueue(
      kind,
      items.map(() => next(random())),
    );
  };
  const worker = await fixture.start(kind, { run });
  await finished;
  readers.delete(read);
  await worker.stop();
  const total = [...took.values()].reduce((sum, times) => sum + waitMs(times.slice(warm)) * times.length, 0);
  return (total * batch) / claimed;
}
