import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import fc from 'fast-check';
import { breachesOf, type Observed } from './testing/model/breaches.js';
import { scenario, type Scenario } from './testing/model/scenario.js';
import { ScenarioRun } from './testing/model/scenario-run.js';
import { disturbances, type Disturbance } from './testing/model/disturbance.js';
import { WorkerProcesses } from './testing/worker-fleet.js';
import { WorkSuite, type WorkProcess } from './testing/work-suite.js';

const leaseMs = 2_000;
const waves = 5;
const scenariosAtOnce = 13;

/** Scenarios run side by side on the same two replicas, so that each is in the way of the others. */
describe('the queue of work, compared with a model', () => {
  let suite: WorkSuite;
  let processes: WorkerProcesses;
  let client: WorkProcess;
  beforeAll(async () => {
    suite = await WorkSuite.open();
    processes = new WorkerProcesses({ databaseUrl: suite.clone.url, natsUrl: suite.nats.url, leaseMs });
    [client] = await Promise.all([suite.process(), processes.start(2)]);
  });
  afterAll(async () => {
    await processes.stop();
    await suite.close();
  });

  const wave = fc.record({
    scenarios: fc.array(scenario, { minLength: scenariosAtOnce, maxLength: scenariosAtOnce }),
    deadly: fc.integer({ min: 0, max: 2 }),
    disturbances,
  });

  it(`runs each item as often as it must, whatever happens to its workers, in ${waves * scenariosAtOnce} scenarios`, async () => {
    const figures = { items: 0, runs: 0 };
    const check = async (scenarios: Scenario[], deadly: number, faults: Disturbance[]) => {
      const runs = scenarios.map((each, index) => new ScenarioRun(client, each, { deadly: index < deadly }));
      const disturbed = disturb(processes, faults);
      await Promise.all(runs.map((run) => run.play()));
      await disturbed;
      await processes.ready();
      await untilQuiet(client);
      const observed = await Promise.all(runs.map((run) => run.observe()));
      for (const each of observed) count(figures, each);
      expect(observed.flatMap(breachesOf)).toEqual([]);
    };
    await fc.assert(
      fc.asyncProperty(wave, ({ scenarios, deadly, disturbances: faults }) =>
        check(scenarios, deadly, faults),
      ),
      { seed: 20261124, numRuns: waves, endOnFailure: true },
    );
    // Otherwise little was proven.
    expect(processes.deaths).toBeGreaterThanOrEqual(waves);
    expect(figures.runs).toBeGreaterThan(figures.items);
  });
});

async function disturb(processes: WorkerProcesses, faults: readonly Disturbance[]): Promise<void> {
  for (const fault of faults) await fault.inject(processes, leaseMs);
}

/** Nothing is left but what is dead. */
async function untilQuiet({ database }: WorkProcess): Promise<void> {
  await eventually(
    async () => (await database.query(`SELECT 1 FROM work_items WHERE state <> 'DEAD' LIMIT 1`)).length === 0,
    'all has its outcome',
    60_000,
  );
}

function count(figures: { items: number; runs: number }, { items }: Observed): void {
  figures.items += items.length;
  for (const { runs } of items) figures.runs += runs;
}
