import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { fanOutWork, startWork } from '../work-kinds.js';
import { startWorkflowsSuite, type WorkflowsSuite } from '../testing/workflows-suite.js';
import { WaitsRepository } from '../waits/waits.repository.js';

let suite: WorkflowsSuite;
beforeAll(async () => {
  suite = await startWorkflowsSuite();
});
afterAll(() => suite.stop());

const farAway = new Date('2100-01-01');
const wait = { workflowId: newId(), entries: [] };
let projectId: string;
let contactId: string;
beforeEach(() => {
  projectId = newId();
  contactId = newId();
});

async function arrive(hoursAgo: number): Promise<void> {
  await suite.database.query(
    `INSERT INTO awaited_events (project_id, contact_id, event_name, event_id, at, arrived_at)
     SELECT $1, $2, 'paid', $3, at, at FROM (SELECT now() - make_interval(hours => $4) AS at) AS t`,
    [projectId, contactId, newId(), hoursAgo],
  );
}

async function isKept(): Promise<boolean> {
  await new WaitsRepository(suite.database).purge();
  const kept = await suite.database.query(`SELECT 1 FROM awaited_events WHERE project_id = $1`, [projectId]);
  return kept.length > 0;
}

const execution = (ofContact: string, waiting: string | null, dueAt: string) =>
  suite.database.query(
    `INSERT INTO executions (project_id, id, workflow_id, workflow_version, generation, contact_id, status, wait, due_at)
     VALUES ($1, $2, $3, 1, 1, $4, 'RUNNING', $5, now() + $6::interval)`,
    [projectId, newId(), newId(), ofContact, waiting, dueAt],
  );

const backlogs: [string, () => Promise<unknown>][] = [
  ['starts', () => suite.queue.enqueue(startWork, [{ projectId, payload: wait, dueAt: farAway }])],
  [
    'fan-outs',
    () => suite.queue.enqueue(fanOutWork, [{ projectId, payload: { arrivals: [] }, dueAt: farAway }]),
  ],
  ['an overdue execution of the contact', () => execution(contactId, null, '-2 hours')],
  ['an execution of the contact that awaits a webhook', () => execution(contactId, 'WEBHOOK', '30 days')],
];

describe('an event of two hours ago', () => {
  it.each(backlogs)('is kept behind a backlog: %s; for a day', async (_, build) => {
    await build();
    await arrive(2);
    expect(await isKept()).toBe(true);
    await suite.database.query(
      `UPDATE awaited_events SET arrived_at = now() - interval '27 hours' WHERE project_id = $1`,
      [projectId],
    );
    expect(await isKept()).toBe(false);
  });

  it('is removed where nothing of the contact is behind', async () => {
    await execution(contactId, 'TIME', '1 day');
    await execution(newId(), null, '-2 hours');
    await arrive(2);
    expect(await isKept()).toBe(false);
  });
});
