import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openServiceFixture, type ServiceFixture } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { unconfigured } from '../graphs/graph-findings.js';
import { graphFaults } from '../graphs/graph-rules.js';
import { startWorker } from '../testing/model/engine.js';
import { Faults } from '../testing/model/faults.js';
import { generated } from '../testing/model/generated.js';
import { graphOf, install } from '../testing/model/installed.js';
import { Model } from '../testing/model/model.js';
import { counted, observed } from '../testing/model/observed.js';
import { Outside } from '../testing/model/outside.js';
import { Play } from '../testing/model/play.js';
import { Random } from '../testing/model/random.js';
import type { Scenario } from '../testing/model/scenario.js';

const seed = 20_261_126;
const waves = 2;
const graphsInWave = 500;
const workers = 2;
/** Of a wave; later everything goes well, so that it ends. */
const roundsWithFaults = 25;

describe('the engine, compared with a model', () => {
  let fixture: ServiceFixture;
  let outside: Outside;
  let faults: Faults;
  const leave: (() => Promise<void>)[] = [];
  const withoutUpdates = new Set<string>();
  beforeAll(async () => {
    fixture = await openServiceFixture('workflows', { entities, migrations });
    outside = new Outside(new Random(seed));
    const standIns = await outside.standIn(fixture.connection);
    faults = new Faults(new Random(seed + 1), fixture.database, (key) => withoutUpdates.has(key));
    for (let index = 0; index < workers; index += 1) leave.push(await startWorker(fixture, faults));
    leave.push(...standIns);
  });
  afterAll(async () => {
    await Promise.all(leave.map((stop) => stop()));
    await fixture.close();
  });

  const play = async (projectId: string, scenarios: Scenario[]): Promise<void> => {
    const played = new Play(fixture, projectId, outside, new Random(scenarios[0]!.seed));
    await played.start(await install(fixture.database, projectId, scenarios));
    for (const { id, scenario } of played.played.values())
      if (scenario.steps.every(({ type }) => type !== 'UPDATE_CONTACT')) withoutUpdates.add(id);
    await played.toTheEnd((round) => {
      faults.active = round < roundsWithFaults;
      outside.isReliable = !faults.active;
    });
    await faults.settled();
    const outcomes = await observed(fixture.database, projectId, outside, played.played);
    const judged = [...played.played.values()].map(({ id, scenario, person }) => ({
      name: `seed ${scenario.seed}, ${person.email}`,
      expected: new Model(scenario, person).run(),
      found: outcomes.get(id),
    }));
    const wrong = judged.filter(({ expected, found }) => !isDeepStrictEqual(found, expected));
    for (const { name, expected, found } of wrong.slice(0, 1))
      expect({ name, wrong: wrong.length, ...found }).toEqual({ name, wrong: wrong.length, ...expected });
    const [kept, recounted] = await counted(fixture.database, projectId);
    expect(kept).toEqual(recounted);
  };

  it(`does each effect once, in the order of the graph, in ${waves * graphsInWave} graphs with events at all times and workers that end anywhere`, async () => {
    for (let wave = 0; wave < waves; wave += 1) {
      const { projectId } = fixture.buildProject();
      const scenarios = Array.from({ length: graphsInWave }, (_, index) =>
        generated(seed + wave * graphsInWave + index, { steady: false }),
      );
      const graphs = scenarios.map(graphOf);
      expect(graphs.flatMap((graph) => [...graphFaults(graph), ...unconfigured(graph)])).toEqual([]);
      await play(projectId, scenarios);
    }
    const dead = await fixture.database.query(`SELECT kind, error FROM work_items WHERE state = 'DEAD'`);
    expect(dead).toEqual([]);
    // Otherwise little was proven.
    expect(faults.counts.crashes).toBeGreaterThan(50);
    expect(faults.counts.lostLeases).toBeGreaterThan(50);
    expect(outside.lost).toBeGreaterThan(100);
  });
});
