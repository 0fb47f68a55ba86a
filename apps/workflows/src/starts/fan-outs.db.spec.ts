import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contactEvents, maxEnabledWorkflows, workflows } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';

let suite: EngineSuite;
beforeAll(async () => {
  suite = await startEngineSuite();
});
afterAll(() => suite.stop());

const exit = { end: { type: 'EXIT' as const, config: {} } };
const settings = { triggerType: 'EVENT' as const, eventName: 'ordered', allowReentry: true };

/** An enabled workflow, copied without calls. */
async function buildMany(count: number) {
  const { caller, projectId } = suite.buildProject();
  const { id } = await suite.enable(caller, exit, settings);
  const columns = `project_id, name, enabled, trigger_type, event_name, allow_reentry, version, generation, step_count, seq, created_at, updated_at`;
  const copies = await suite.database.query<{ id: string }>(
    `INSERT INTO workflows (id, ${columns}) SELECT gen_random_uuid(), ${columns} FROM workflows, generate_series(2, $3)
     WHERE project_id = $1 AND id = $2 RETURNING id`,
    [projectId, id, count],
  );
  const ids = copies.map((copy) => copy.id);
  await suite.database.query(
    `INSERT INTO workflow_steps (project_id, workflow_id, id, place, name, type, position, config)
     SELECT project_id, each, id, place, name, type, position, config FROM workflow_steps, unnest($3::uuid[]) AS each WHERE project_id = $1 AND workflow_id = $2`,
    [projectId, id, ids],
  );
  await suite.database.query(
    `INSERT INTO workflow_versions (project_id, workflow_id, version, graph)
     SELECT project_id, each, version, graph FROM workflow_versions, unnest($3::uuid[]) AS each WHERE project_id = $1 AND workflow_id = $2 AND version = 2`,
    [projectId, id, ids],
  );
  return { caller, projectId, ids: [id, ...ids] };
}

describe('an event that starts many workflows', () => {
  it('starts each of them once for each contact, a bounded number in a transaction', async () => {
    const { projectId } = await buildMany(70);
    await suite.database.query(`CREATE TABLE started_together (starts bigint)`);
    await suite.database.query(
      `CREATE FUNCTION note_starts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO started_together SELECT coalesce(sum(jsonb_array_length(payload -> 'entries')), 0) FROM added WHERE kind = 'workflows.starts';
         RETURN NULL; END $$`,
    );
    await suite.database.query(
      `CREATE TRIGGER note_starts AFTER INSERT ON work_items REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_starts()`,
    );
    const items = Array.from({ length: 10 }, () => ({
      eventId: newId(),
      contactId: suite.addContact(projectId).id,
      name: 'ordered',
      emailId: null,
      at: new Date(),
    }));
    await suite.contacts.publish(contactEvents.eventRecorded, projectId, items);
    await eventually(
      async () => {
        const [row] = await suite.database.query<{ ended: number; twice: number }>(
          `SELECT count(*) FILTER (WHERE ended_at IS NOT NULL)::int AS ended,
             (count(*) - count(DISTINCT (workflow_id, contact_id)))::int AS twice FROM executions WHERE project_id = $1`,
          [projectId],
        );
        expect(row!.twice).toBe(0);
        return row!.ended === 70 * 10 ? row : null;
      },
      'all have ended',
      120_000,
    );
    const [most] = await suite.database.query<{ starts: number }>(
      `SELECT max(starts)::int AS starts FROM started_together`,
    );
    expect(most!.starts).toBeGreaterThan(0);
    expect(most!.starts).toBeLessThanOrEqual(50 * 10);
  });
});

describe('enabled workflows', () => {
  it('are at most 200 in a project', async () => {
    const { caller, ids } = await buildMany(maxEnabledWorkflows);
    const { id } = await suite.bus.call(workflows.create, caller, { name: 'More', triggerType: 'MANUAL' });
    const resume = () => suite.bus.call(workflows.resume, caller, { id });
    await expect(resume()).rejects.toMatchObject({ kind: 'conflict' });
    await suite.bus.call(workflows.update, caller, { id: ids[0]!, name: 'Still enabled' });
    await suite.bus.call(workflows.pause, caller, { id: ids[0]! });
    await resume();
    await expect(suite.bus.call(workflows.resume, caller, { id: ids[0]! })).rejects.toMatchObject({
      kind: 'conflict',
    });
  });
});
