import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { openServiceFixture, type ServiceFixture } from '@posthorn/testing';
import { entities, migrations } from '../../data-source.js';
import { SegmentsRepository } from '../segments.repository.js';
import { buildUpkeep, evaluateAll } from '../testing/by-hand.js';
import { segmentUpkeepWork } from '../segment-kinds.js';

describe('rounds of upkeep', () => {
  let fixture: ServiceFixture;
  beforeAll(async () => {
    fixture = await openServiceFixture('contacts', { entities, migrations });
  });
  afterAll(() => fixture.close());
  beforeEach(() => fixture.database.query(`TRUNCATE segment_dirty, segment_due`));

  const mark = async (projectId: string, count: number) => {
    await fixture.database.query(
      `INSERT INTO segment_dirty (project_id, contact_id) SELECT $1, uuidv7() FROM generate_series(1, $2::integer)`,
      [projectId, count],
    );
    return projectId;
  };
  const expire = (projectId: string, count: number) =>
    fixture.database.query(
      `INSERT INTO segment_due (project_id, contact_id, segment_id, due_at) SELECT $1, uuidv7(), uuidv7(), now() FROM generate_series(1, $2::integer)`,
      [projectId, count],
    );
  const left = async (table = 'segment_dirty') => {
    const rows = await fixture.database.query<{ id: string; count: number }>(
      `SELECT project_id AS id, count(*) AS count FROM ${table} GROUP BY 1`,
    );
    return new Map(rows.map(({ id, count }) => [id, count]));
  };
  const round = (projectIds: string[]) =>
    fixture.database.transaction(() => buildUpkeep(fixture).round(projectIds, new Date()));

  it('give each project a share: many contacts of one do not delay others', async () => {
    const many = await mark(newId(), 5_000);
    const one = await mark(newId(), 1);
    await expire(many, 1_000);
    const few = newId();
    await expire(few, 1);
    expect(await round([many, one, few])).toEqual({ more: [many], done: [one, few], busy: [] });
    expect([[...(await left()).keys()], (await left('segment_due')).has(few)]).toEqual([[many], false]);
    expect((await left()).get(many)).toBeGreaterThanOrEqual(4_500);
  });

  it('skip a locked project', async () => {
    const held = await mark(newId(), 600);
    const free = await mark(newId(), 1);
    await fixture.database.transaction(async () => {
      await new SegmentsRepository(fixture.database, fixture.queue).lockProject(held);
      await fixture.database.apart(async () => {
        expect(await round([held, free])).toEqual({ more: [], done: [free], busy: [held] });
        expect(await left()).toEqual(new Map([[held, 600]]));
      });
    });
  });

  it('reach every project', async () => {
    const projects = Array.from({ length: 50 }, () => newId());
    for (const [index, projectId] of projects.entries())
      await (index % 2 ? mark(projectId, 30) : expire(projectId, 30));
    await fixture.queue.enqueue(
      segmentUpkeepWork,
      projects.map((projectId) => ({ projectId })),
    );
    await evaluateAll(fixture);
    expect([await left(), await left('segment_due')]).toEqual([new Map(), new Map()]);
  });
});
