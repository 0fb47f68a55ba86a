import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { filtersOf, type Condition, type ConditionFilter } from '@posthorn/contracts';
import { openDatabase, type Database } from '@posthorn/database';
import { cloneDatabase, type TestDatabase } from '@posthorn/testing';
import fc from 'fast-check';
import { entities, migrations } from '../data-source.js';
import { parseCondition } from './parsing/parse-condition.js';
import { SegmentPreviews } from './segment-previews.read-model.js';
import { matchedOf, storePeople } from './testing/evaluators.js';
import { conditions, generatedNow, population, type Person } from './testing/generated.js';

describe('previews', () => {
  let clone: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    const parts = { entities, migrations };
    clone = await cloneDatabase('contacts', parts);
    database = await openDatabase({ url: clone.url, name: 'previews', poolSize: 2, ...parts });
  });
  afterAll(async () => {
    await database.close();
    await clone.drop();
  });

  it('count whom a condition finds, and whom each filter leaves out, as the other evaluator does', async () => {
    const previews = new SegmentPreviews(database);
    const operators = new Set<string>();
    const agree = fc.asyncProperty(population, conditions, async (people, given) => {
      const { projectId, stored } = await storePeople(database, people);
      const everybody = stored.map(({ person }) => person);
      const trees = given.map((each) => parseCondition(each));
      // A filter that is alone is counted in another way than one of several.
      for (const tree of [...trees, ...trees.flatMap((each) => filtersOf(each).map(alone))]) {
        const { count, excludedBy } = await previews.preview(projectId, tree, generatedNow);
        const left = filtersOf(tree).map((filter) => everybody.length - countOf(alone(filter), everybody));
        expect({ tree, count, left: excludedBy.map((each) => each.count) }).toEqual({ tree, count: countOf(tree, everybody), left });
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
  }, 60_000);
});

const alone = (filter: ConditionFilter): Condition => ({ logic: 'AND', groups: [{ filters: [filter], conditions: null }] });

const countOf = (condition: Condition, people: readonly Person[]): number =>
  people.filter((person) => matchedOf(condition, person, generatedNow).matches).length;
