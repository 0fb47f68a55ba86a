import { newId } from '@posthorn/database';
import { work, type WorkHandler } from '@posthorn/work';
import { waitMs, type Bench } from '../bench.js';
import { inDatabase } from '../databases.js';
import { alternatingCosts } from './alternating.js';
import { WorkFixture } from './work-fixture.js';

const batch = 100;
const few = 1_000;
const turns = 6;
const claimsOfATurn = 60;
/** Of each turn: connections plan, pages are read. */
const warm = 10;
const maxTimes = 1.2;
const kind = work('contacts.claimed', { batch, mixed: true });

/** What a claim costs with few and with many items waiting, as Postgres itself says; both sides take turns. */
export async function benchClaims({ servers, scale, rows, readers }: Bench): Promise<void> {
  for (const projects of [1, few]) {
    const ids = Array.from({ length: projects }, newId);
    const fixtures: WorkFixture[] = [];
    for (const items of [few, scale.waiting]) {
      const fixture = await WorkFixture.make(servers, `claims_${projects}_${items}`);
      await fixture.fill(kind, items, ids);
      const name = new URL(fixture.url).pathname.slice(1);
      await inDatabase(fixture.url, (client) =>
        client.query(`ALTER DATABASE ${name} SET log_min_duration_statement = 0`),
      );
      fixtures.push(fixture);
    }
    const [small, large] = await alternatingCosts([fixtures[0]!, fixtures[1]!], turns, (fixture) =>
      costOn(fixture, ids, readers),
    );
    const of = projects === 1 ? 'one project' : `${projects} projects`;
    const name = `work: ms to claim ${batch} of ${scale.waiting} items, ${of}`;
    rows.push({ name, product: large, reference: small, ceilingTimes: maxTimes });
    await Promise.all(fixtures.map((fixture) => fixture.close()));
  }
}

/** Milliseconds for a batch of items, where as many are enqueued as are done. Of few items in many projects a claim takes less than a batch. */
async function costOn(
  fixture: WorkFixture,
  projects: readonly string[],
  readers: Bench['readers'],
): Promise<number> {
  const took: number[] = [];
  const sizes: number[] = [];
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const read = (line: string): void => {
    const claim = /duration: ([\d.]+) ms {2}execute claim work(?: after)?:/.exec(line);
    if (claim && took.push(Number(claim[1])) === claimsOfATurn) finish();
  };
  readers.add(read);
  const random = () => projects[Math.floor(Math.random() * projects.length)]!;
  const run: WorkHandler<object>['run'] = async ({ items }) => {
    sizes.push(items.length);
    const next = items.map(() => ({ projectId: random() }));
    await worker.queue.enqueue(kind, next);
  };
  const worker = await fixture.start(kind, { run });
  await finished;
  readers.delete(read);
  await worker.stop();
  return (waitMs(took.slice(warm)) * batch * sizes.length) / sizes.reduce((sum, size) => sum + size, 0);
}
