import { newId } from '@posthorn/database';
import { work, type WorkHandler } from '@posthorn/work';
import { waitMs, type Bench } from '../bench.js';
import { inDatabase } from '../databases.js';
import { alternatingCosts } from '../work/alternating.js';
import { WorkFixture } from '../work/work-fixture.js';

/** As many as the engine takes at once. */
const batch = 64;
const few = 1_000;
const turns = 6;
const claimsOfATurn = 60;
/** Of each turn: connections plan, pages are read. */
const warm = 10;
const projects = 20;
/** Timers that end while it is measured, and are set again: more than a claim takes. */
const active = 640;
const shortMs = 20;
const maxTimes = 1.2;
const kind = work('contacts.timers', { batch, mixed: true });

const waitingSql = `INSERT INTO work_items (id, kind, project_id, key, state, due_at)
  SELECT uuidv7(), $1, ($2::uuid[])[1 + n % ${projects}], gen_random_uuid()::text, 'WAITING',
    CASE WHEN n < ${active} THEN now() ELSE now() + interval '1 hour' + n * interval '1 second' END
  FROM generate_series(0, $3::int + ${active} - 1) AS n`;

/** What it costs to find and to claim timers that are due, while few and while many others wait, as Postgres itself says; both sides take turns. */
export async function benchTimers({ servers, scale, rows, readers }: Bench): Promise<void> {
  const ids = Array.from({ length: projects }, newId);
  const fixtures: WorkFixture[] = [];
  for (const waiting of [few, scale.waiting]) {
    const fixture = await WorkFixture.make(servers, `timers_${waiting}`);
    await inDatabase(fixture.url, async (client) => {
      await client.query(waitingSql, [kind.name, ids, waiting]);
      await client.query('VACUUM (ANALYZE) work_items');
      await client.query('CHECKPOINT');
      const name = new URL(fixture.url).pathname.slice(1);
      await client.query(`ALTER DATABASE ${name} SET log_min_duration_statement = 0`);
    });
    fixtures.push(fixture);
  }
  const [small, large] = await alternatingCosts([fixtures[0]!, fixtures[1]!], turns, (fixture) =>
    costOn(fixture, ids, readers),
  );
  rows.push({
    name: `workflows: ms to find and claim ${batch} timers while ${scale.waiting} wait, beside ${few}`,
    product: large,
    reference: small,
    ceilingTimes: maxTimes,
  });
  await Promise.all(fixtures.map((fixture) => fixture.close()));
}

/** Milliseconds for a batch, with the looks for what is due. A claim may find less than a batch. */
async function costOn(
  fixture: WorkFixture,
  projectIds: readonly string[],
  readers: Bench['readers'],
): Promise<number> {
  const took: Record<'look for' | 'claim', number[]> = { 'look for': [], claim: [] };
  let claimed = 0;
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const read = (line: string): void => {
    const [, ms, what] =
      /duration: ([\d.]+) ms {2}execute (claim|look for) work(?: after)?:/.exec(line) ?? [];
    if (what) took[what as keyof typeof took].push(Number(ms));
    if (took.claim.length === claimsOfATurn) finish();
  };
  readers.add(read);
  const timer = () => ({
    projectId: projectIds[Math.floor(Math.random() * projectIds.length)]!,
    key: newId(),
    delayMs: shortMs,
  });
  const run: WorkHandler<object>['run'] = async ({ items }) => {
    claimed += items.length;
    await worker.queue.enqueue(kind, items.map(timer));
  };
  const worker = await fixture.start(kind, { run });
  await finished;
  readers.delete(read);
  await worker.stop();
  const total = (times: number[]) => waitMs(times.slice(warm)) * times.length;
  return ((total(took['look for']) + total(took.claim)) * batch) / claimed;
}
