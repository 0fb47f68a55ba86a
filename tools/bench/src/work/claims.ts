import { newId } from '@posthorn/database';
import { work, type WorkHandler } from '@posthorn/work';
import { waitMs, type Bench } from '../bench.js';
import { inDatabase } from '../databases.js';
import { WorkFixture } from './work-ground.js';

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
    const sides = [];
    for (const items of [few, scale.waiting]) {
      const fixture = await WorkFixture.make(servers, `claims_${projects}_${items}`);
      await fixture.fill(kind, items, ids);
      const name = new URL(fixture.url).pathname.slice(1);
      await inDatabase(fixture.url, (client) =>
        client.query(`ALTER DATABASE ${name} SET log_min_duration_statement = 0`),
      );
      sides.push({ fixture, costs: [] as number[] });
    }
    // After a checkpoint each page that is touched is written as a whole once: that is no part of a claim.
    for (const { fixture } of sides) await costOn(fixture, ids, readers);
    for (let turn = 0; turn < turns; turn += 1) {
      for (const { fixture, costs } of turn % 2 ? [...sides].reverse() : sides)
        costs.push(await costOn(fixture, ids, readers));
    }
    const [small, large] = sides.map(({ costs }) => waitMs(costs));
    const of = projects === 1 ? 'one project' : `${projects} projects`;
    const name = `work: ms to claim ${batch} of ${scale.waiting} items, ${of}`;
    rows.push({ name, product: large!, reference: small!, ceilingTimes: maxTimes });
    await Promise.all(sides.map(({ fixture }) => fixture.close()));
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
    const claim = /duration: ([\d.]+) ms {2}execute claim work:/.exec(line);
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
