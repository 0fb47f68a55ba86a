import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { RepeatedWork } from './repeated-work.js';
import { WorkSuite, type WorkProcess } from '../testing/work-suite.js';
import { work } from '../queue/work-kind.js';

let suite: WorkSuite;
beforeAll(async () => {
  suite = await WorkSuite.open();
});
afterEach(() => suite.stopAll());
afterAll(() => suite.close());

class Repeated extends RepeatedWork {
  rounds = 0;
  pauseMs = 20;

  constructor({ queue, runner }: WorkProcess) {
    super(work('tests.repeated'), queue, runner);
  }

  protected round(): Promise<number> {
    this.rounds += 1;
    return Promise.resolve(this.pauseMs);
  }
}

it('periodic work runs again when its last round said, in one process at a time, and at once on request', async () => {
  const processes = await Promise.all([suite.process(), suite.process()]);
  const repeated = processes.map((each) => new Repeated(each));
  for (const [index, each] of processes.entries()) {
    await repeated[index]!.onApplicationBootstrap();
    each.start();
  }
  const rounds = () => repeated[0]!.rounds + repeated[1]!.rounds;
  await eventually(async () => rounds() >= 5, 'it is repeated');
  expect(await processes[0]!.database.query(`SELECT 1 FROM work_items`)).toHaveLength(1);
  for (const each of repeated) each.pauseMs = 60_000;
  const waits = async () =>
    (
      await processes[0]!.database.query(
        `SELECT 1 FROM work_items WHERE due_at > now() + interval '30 seconds'`,
      )
    ).length > 0;
  await eventually(waits, 'it waits');
  const before = rounds();
  await repeated[0]!.soon();
  await eventually(async () => rounds() > before, 'it has come at once');
});
