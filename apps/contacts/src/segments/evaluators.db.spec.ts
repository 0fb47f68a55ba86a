import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { filtersOf, type Condition, type ConditionFilter } from '@posthorn/contracts';
import { openDatabase, type Database } from '@posthorn/database';
import { cloneDatabase, type TestDatabase } from '@posthorn/testing';
import fc from 'fast-check';
import { entities, migrations } from '../data-source.js';
import { parseCondition } from './parsing/parse-condition.js';
import { SegmentPreviews } from './segment-previews.read-model.js';
import { queriesOf, matchedOf, storePeople, type SqlAnswer, type Stored } from './testing/evaluators.js';
import { conditions, generatedNow, population, type Person } from './testing/generated.js';

const runs = 110;
const fewestCases = 2_000;

describe('the two evaluators of conditions', () => {
  let clone: TestDatabase;
  let database: Database;
  let cases = 0;
  beforeAll(async () => {
    const parts = { entities, migrations };
    clone = await cloneDatabase('contacts', parts);
    database = await openDatabase({ url: clone.url, name: 'evaluators', poolSize: 2, ...parts });
  });
  afterAll(async () => {
    await database.close();
    await clone.drop();
  });

  it('agree on every contact, now and later', async () => {
    const agree = fc.asyncProperty(population, conditions, async (people, given) => {
      await expectAgreement(people, given);
      cases += given.length;
    });
    await fc.assert(agree, {
      numRuns: runs,
      seed: 20260301,
      interruptAfterTimeLimit: 60_000,
      markInterruptAsFailure: true,
    });
    process.stderr.write(`evaluators: ${cases} pairs of condition and population\n`);
    expect(cases).toBeGreaterThanOrEqual(fewestCases);
  });

  it('agree with previews on matches and on what each filter excludes', async () => {
    const previews = new SegmentPreviews(database);
    const operators = new Set<string>();
    const agree = fc.asyncProperty(population, conditions, async (people, given) => {
      const { projectId, stored } = await storePeople(database, people);
      const everybody = stored.map(({ person }) => person);
      const trees = given.map((each) => parseCondition(each));
      // A single filter is counted by another query.
      for (const tree of [...trees, ...trees.flatMap((each) => filtersOf(each).map(alone))]) {
        const { count, excludedBy } = await previews.preview(projectId, tree, generatedNow);
        const left = filtersOf(tree).map((filter) => everybody.length - countOf(alone(filter), everybody));
        expect({ tree, count, left: excludedBy.map((each) => each.count) }).toEqual({
          tree,
          count: countOf(tree, everybody),
          left,
        });
        filtersOf(tree).forEach(({ field, operator }) => operators.add(`${field} ${operator}`));
      }
    });
    await fc.assert(agree, { numRuns: 12, seed: 20261123, endOnFailure: true });
    for (const missing of [
      'event notTriggered',
      'event notTriggeredWithin',
      'activity notTriggered',
      'list isNotMemberOf',
      'segment isNotMemberOf',
    ])
      expect(operators).toContain(missing);
  });

  async function expectAgreement(people: readonly Person[], given: readonly unknown[]): Promise<void> {
    const trees = given.map((each) => parseCondition(each));
    const { projectId, stored } = await storePeople(database, people);
    const request = queriesOf(database, projectId, trees);
    const first = await request(generatedNow);
    expectSame(first, stored, trees, generatedNow);
    const turns = turnsOf(stored, trees);
    for (const at of instantsAround(turns)) {
      const later = await request(at);
      expectSame(later, stored, trees, at);
      expectSteady(first, later, turns, at);
    }
  }
});

/** Until when each result is valid, by contact and condition. */
type Turns = Map<string, (number | null)[]>;

function expectSame(
  rows: readonly SqlAnswer[],
  stored: readonly Stored[],
  trees: readonly Condition[],
  now: Date,
): void {
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { id, person } of stored) {
    const { answers } = byId.get(id)!;
    for (const [index, tree] of trees.entries()) {
      const { matches } = matchedOf(tree, person, now);
      // Compares little, but shows the whole case.
      if (matches !== answers[index])
        expect({ tree, person, now, matches }).toEqual({ tree, person, now, matches: answers[index] });
    }
  }
}

function turnsOf(stored: readonly Stored[], trees: readonly Condition[]): Turns {
  return new Map(
    stored.map(({ id, person }) => [id, trees.map((tree) => matchedOf(tree, person, generatedNow).until)]),
  );
}

/** Some of the instants at which results may change, and the millisecond before each. */
function instantsAround(turns: Turns): Date[] {
  const all = [...new Set([...turns.values()].flat())].filter((turn) => turn !== null).sort((a, b) => a - b);
  const picked = [all[0], all[all.length >> 1], all.at(-1)].filter((turn) => turn !== undefined);
  return [...new Set(picked)].flatMap((turn) => [new Date(turn - 1), new Date(turn)]);
}

/** A result stays the same until its turn, and SQL computes no later turn. */
function expectSteady(
  first: readonly SqlAnswer[],
  later: readonly SqlAnswer[],
  turns: Turns,
  at: Date,
): void {
  const after = new Map(later.map((row) => [row.id, row.answers]));
  for (const { id, answers, turns: published } of first) {
    turns.get(id)!.forEach((turn, index) => {
      const sqlTurn = published[index]?.getTime() ?? null;
      if (turn !== null) expect(sqlTurn ?? Infinity).toBeLessThanOrEqual(turn);
      const steady = turn === null || at.getTime() < turn || sqlTurn === null || at.getTime() < sqlTurn;
      if (steady) expect([id, index, after.get(id)![index]]).toEqual([id, index, answers[index]]);
    });
  }
}

const alone = (filter: ConditionFilter): Condition => ({
  logic: 'AND',
  groups: [{ filters: [filter], conditions: null }],
});

const countOf = (condition: Condition, people: readonly Person[]): number =>
  people.filter((person) => matchedOf(condition, person, generatedNow).matches).length;
