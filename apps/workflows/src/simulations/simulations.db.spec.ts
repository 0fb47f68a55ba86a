import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceCaller, type Simulation } from '@posthorn/contracts';
import { openServiceFixture, type ServiceFixture } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { buildSimulations, startWorker } from '../testing/model/engine.js';
import { generated } from '../testing/model/generated.js';
import { install } from '../testing/model/installed.js';
import { Model } from '../testing/model/model.js';
import { observed } from '../testing/model/observed.js';
import { Outside } from '../testing/model/outside.js';
import { Play } from '../testing/model/play.js';
import { Random } from '../testing/model/random.js';
import { comparable, comparableSimulation, requestOf } from '../testing/model/rehearsed.js';
import type { Scenario } from '../testing/model/scenario.js';

const firstSeed = 20_270_101;
const graphs = 100;

describe('a rehearsal, compared with executions of the same graph', () => {
  let fixture: ServiceFixture;
  let outside: Outside;
  const leave: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    fixture = await openServiceFixture('workflows', { entities, migrations });
    outside = new Outside(new Random(firstSeed));
    outside.isReliable = true;
    leave.push(...(await outside.standIn(fixture.connection)), await startWorker(fixture, null));
  });
  afterAll(async () => {
    await Promise.all(leave.map((stop) => stop()));
    await fixture.close();
  });

  it(`takes the same path, at the same distances of time, with the same mails, calls and updates, in ${graphs} graphs`, async () => {
    const { projectId } = fixture.buildProject();
    const caller = serviceCaller('suite', projectId);
    const installed = await install(fixture.database, projectId, scenariosThatEnd());
    const play = new Play(fixture, projectId, outside, new Random(firstSeed));
    await play.start(installed);
    await play.toTheEnd();
    const outcomes = await observed(fixture.database, projectId, outside, play.played);
    const simulations = buildSimulations(fixture);
    const workflows = new Map(installed.map((each) => [each.scenario, each]));
    for (const { id, scenario, person, spans } of play.played.values()) {
      const rehearsed = await simulations.run({
        caller,
        body: requestOf(workflows.get(scenario)!, person),
        deadline: null,
      });
      const about = { seed: scenario.seed, email: person.email };
      expect({ ...about, ...comparableSimulation(rehearsed) }).toEqual({
        ...about,
        ...comparable(outcomes.get(id)!),
      });
      expect({ ...about, spans: rehearsedSpans(rehearsed, scenario) }).toEqual({ ...about, spans });
    }
  });
});

function scenariosThatEnd(): Scenario[] {
  const found: Scenario[] = [];
  for (let seed = firstSeed; found.length < graphs; seed += 1) {
    const scenario = generated(seed, { steady: true });
    const outcomes = scenario.people.map((person) => new Model(scenario, person).run());
    if (outcomes.every(({ status, path }) => status !== 'WAITING' && path.length > 3)) found.push(scenario);
  }
  return found;
}

function rehearsedSpans({ path }: Simulation, { steps }: Scenario): number[] {
  const spans = path.flatMap(({ stepName, branch, enteredAt, leftAt }) => {
    const isDelay = steps.find(({ name }) => name === stepName)!.config['amount'] !== undefined;
    return leftAt && (isDelay || branch === 'timeout') ? [leftAt.getTime() - enteredAt.getTime()] : [];
  });
  // A goal ends the execution before it waits.
  return spans.filter((span) => span > 0);
}
