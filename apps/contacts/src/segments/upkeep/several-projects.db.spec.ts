import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { SegmentsRepository } from '../segments.repository.js';
import { LiveSuite } from '../testing/live-suite.js';
import { plan, type SegmentsOf } from '../testing/segments-suite.js';

let suite: LiveSuite;
beforeAll(async () => {
  suite = await LiveSuite.start();
});
afterAll(() => suite.stop());

/** Contacts that are marked meanwhile are evaluated together afterwards. */
function whileHeld(projects: readonly SegmentsOf[], work: () => Promise<void>): Promise<void> {
  const { database, queue } = suite.fixture;
  return database.transaction(async () => {
    for (const { projectId } of projects)
      await new SegmentsRepository(database, queue).lockProject(projectId);
    await database.apart(work);
  });
}

it('a round writes the members of several projects into their own segments', async () => {
  const projects = [suite.open(), suite.open()];
  const built = await Promise.all(
    projects.map(async (project) => ({
      project,
      pro: await project.build({ name: 'Pro', condition: plan('pro'), trackMembership: true }),
      team: await project.build({ name: 'Team', condition: plan('team'), trackMembership: true }),
    })),
  );
  const ids = new Map<SegmentsOf, string[]>(projects.map((project) => [project, []]));
  await whileHeld(projects, async () => {
    for (const [turn, name] of ['pro', 'team', 'pro'].entries())
      for (const project of projects)
        ids.get(project)!.push(await project.contact(`${turn}@example.org`, { plan: name }));
  });
  for (const { project, pro, team } of built) {
    await project.settled();
    expect(await project.members(pro.id)).toEqual(['0@example.org', '2@example.org']);
    expect(await project.members(team.id)).toEqual(['1@example.org']);
    await eventually(
      async () =>
        (await project.get(pro.id)).memberCount === 2 && (await project.get(team.id)).memberCount === 1,
      'counts',
    );
    const [first, second, third] = ids.get(project)!;
    const wanted = [`${first} pro`, `${second} team`, `${third} pro`].sort();
    expect((await suite.published(project)).entered.map((each) => each.join(' ')).sort()).toEqual(wanted);
    const { projectId } = project;
    expect(
      await suite.fixture.database.query(
        `SELECT contact_id::text || ' ' || lower(name) AS entry FROM contact_history h JOIN segments s ON s.project_id = h.project_id AND s.id = h.subject_id
         WHERE h.project_id = $1 AND kind = 'segment.entered' ORDER BY 1`,
        [projectId],
      ),
    ).toEqual(wanted.map((entry) => ({ entry })));
  }
});

it('a segment that cannot be evaluated stops neither the other segments of its project nor its contacts', async () => {
  const project = suite.open();
  const { database } = suite.fixture;
  const [pro, broken] = [
    await project.build({ name: 'Pro', condition: plan('pro') }),
    await project.build({ name: 'Broken', condition: plan('team') }),
  ];
  await project.settled();
  await database.query(
    `UPDATE segments SET condition = jsonb_set(condition, '{groups,0,filters,0,operator}', '"unheardOf"') WHERE id = $1`,
    [broken.id],
  );
  await project.contact('ada@example.org', { plan: 'pro' });
  await project.contact('bob@example.org', { plan: 'team' });
  await project.settled();
  expect(await project.members(pro.id)).toEqual(['ada@example.org']);
});

it('a project whose contacts take long to evaluate has its share of a round, and the others are done before it', async () => {
  const [costly, other] = [suite.open(), suite.open()];
  const { database } = suite.fixture;
  await costly.build({ condition: plan('pro') });
  const pro = await other.build({ condition: plan('pro') });
  // As many as an earlier release let a project have.
  const filters = Array.from({ length: 100 }, (_, index) => ({
    field: `customFields.f${index}`,
    operator: 'notContains',
    value: 'y'.repeat(200),
  }));
  await database.query(
    `INSERT INTO segments (project_id, id, name, slug, type, condition, upkeep, cost_ms, track_membership)
     SELECT $1, uuidv7(), 'C' || n, 'c' || n, 'DYNAMIC', $2, 'LIVE', 0, false FROM generate_series(1, 100) AS n`,
    [costly.projectId, JSON.stringify({ logic: 'AND', groups: [{ filters }] })],
  );
  const fields = Object.fromEntries(filters.map((_, index) => [`f${index}`, 'x'.repeat(200)]));
  await whileHeld([costly, other], async () => {
    for (let n = 0; n < 200; n += 1) await costly.contact(`c${n}@example.org`, fields);
    await other.contact('o@example.org', { plan: 'pro' });
  });
  await eventually(async () => (await other.members(pro.id)).length === 1, 'the other project is done');
  const [{ waiting }] = (await database.query<{ waiting: number }>(
    `SELECT count(DISTINCT contact_id)::int AS waiting FROM segment_dirty WHERE project_id = $1`,
    [costly.projectId],
  )) as [{ waiting: number }];
  expect(waiting).toBeGreaterThan(0);
  await costly.settled();
});
