import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { nthReader } from '../../campaigns/audiences.js';
import { call, type Call } from '../../plans/calls.js';
import type { Step } from '../../plans/recorded-calls.js';
import { deletionsOfUnused } from '../../plans/unused-references.js';
import { chainOf, type MadeWorkflow } from '../workflow.js';
import { awaitedEvent, startEvent, type Definitions } from './definitions.js';

interface Made {
  id: string;
}

const checkEveryMs = 200;
const timeoutMs = 120_000;

export const read = (name: string, path: string): Step => ({ call: call(name, 'GET', path) });
export const posting = (name: string, path: string, body?: object): Step => ({
  call: call(name, 'POST', path, body),
});
/** What follows by itself is recorded, too. */
export const followed = (step: Step): Step => ({ ...step, call: { ...step.call, waits: true } });

/** Every route of workflows, in an order in which each has something to work on. */
export async function workflowSteps(client: pg.Client, made: Definitions): Promise<Step[]> {
  return [
    ...(await listSteps(made)),
    ...(await executionReads(made)),
    ...(await definitionSteps(made)),
    ...(await engineSteps(client, made)),
    ...(await moveSteps(client, made)),
    ...(await deletionsOfUnused(made.api)),
    ...stopSteps(client, made),
  ];
}

async function listSteps({ api, large }: Definitions): Promise<Step[]> {
  const { next_cursor: cursor } = await api.get<{ next_cursor: string }>('/api/v1/workflows?limit=100');
  const graph = await api.get<object>(`/api/v1/workflows/${large.id}/graph`);
  const simulated = { contact: { email: 'new@plans.example' } };
  return [
    read('first page of workflows', 'workflows?limit=100'),
    read('a later page', `workflows?limit=100&after=${encodeURIComponent(cursor)}`),
    { call: { ...call('page with its total', 'GET', ''), path: '/api/workflows?limit=100' } },
    read('one workflow', `workflows/${large.id}`),
    read('its graph', `workflows/${large.id}/graph`),
    read('an earlier graph', `workflows/${large.id}/versions/1/graph`),
    read('its document', `workflows/${large.id}/export`),
    read('its counts', `workflows/${large.id}/stats`),
    posting('findings of a graph', `workflows/${large.id}/graph/validate`, graph),
    posting('rehearsal', `workflows/${large.id}/simulate`, simulated),
    posting('rehearsal for an audience', `workflows/${large.id}/simulate-audience`, { sample: 50 }),
  ];
}

async function executionReads({ api, large, paused }: Definitions): Promise<Step[]> {
  const path = `workflows/${large.id}/executions`;
  const { next_cursor: cursor, data } = await api.get<{ next_cursor: string; data: Made[] }>(
    `/api/v1/${path}?limit=100`,
  );
  const failed = await api.get<{ next_cursor: string }>(`/api/v1/${path}?limit=100&status=FAILED`);
  const after = (position: string) => `&after=${encodeURIComponent(position)}`;
  return [
    read('executions', `${path}?limit=100`),
    read('a later page of executions', `${path}?limit=100${after(cursor)}`),
    ...['RUNNING', 'WAITING', 'EXITED', 'COMPLETED', 'FAILED', 'CANCELLED'].map((status) =>
      read(`executions that are ${status}`, `${path}?limit=100&status=${status}`),
    ),
    read('a later page of those that failed', `${path}?limit=100&status=FAILED${after(failed.next_cursor)}`),
    read('executions of a small workflow', `workflows/${paused.id}/executions?limit=100&status=FAILED`),
    read('one execution with its steps', `${path}/${data[0]!.id}`),
  ];
}

async function definitionSteps({ api, large }: Definitions): Promise<Step[]> {
  const settings = { name: 'Draft', trigger_type: 'MANUAL' };
  const [changed, gone] = [
    await api.post<Made>('/api/v1/workflows', settings),
    await api.post<Made>('/api/v1/workflows', settings),
  ];
  const document = await api.get<object>(`/api/v1/workflows/${large.id}/export`);
  const graph: Call = call('graph', 'PUT', `workflows/${changed.id}/graph`, chainOf(['EXIT', {}]));
  return [
    posting('create', 'workflows', settings),
    { call: call('change', 'PATCH', `workflows/${changed.id}`, { description: 'Words' }) },
    { call: graph },
    posting('resume', `workflows/${changed.id}/resume`),
    { call: call('disable', 'PATCH', `workflows/${changed.id}`, { enabled: false }) },
    posting('copy', `workflows/${large.id}/clone`),
    posting('import', 'workflows/import', document),
    { call: call('deletion of a workflow without executions', 'DELETE', `workflows/${gone.id}`) },
  ];
}

/** Each kind of step, started by a call and by an event; and a wait that its event ends. */
async function engineSteps(
  client: pg.Client,
  { crowd: { contactIds }, whole, waiting }: Definitions,
): Promise<Step[]> {
  const [first, second] = contactIds;
  const settle = () => untilNothingRuns(client, whole);
  return [
    {
      ...followed(posting('start', `workflows/${whole.id}/executions`, { contact_id: first })),
      settle,
    },
    {
      ...followed(posting('start by an event', 'events', { name: startEvent, email: nthReader(200) })),
      settle,
    },
    followed(posting('start that waits', `workflows/${waiting.id}/executions`, { contact_id: second })),
    {
      ...followed(posting('event that it waits for', 'events', { name: awaitedEvent, contact_id: second })),
      settle: () => untilNothingRuns(client, waiting),
    },
    followed(posting('event that nothing waits for', 'events', { name: 'other', email: nthReader(201) })),
  ];
}

/** What people do to one execution. Those that are stored have contacts that do not exist, and end when they go on. */
async function moveSteps(client: pg.Client, { api, crowd, large, moved }: Definitions): Promise<Step[]> {
  const started = [];
  for (const contact_id of crowd.contactIds.slice(2, 4))
    started.push(await api.post<Made>(`/api/v1/workflows/${moved.id}/executions`, { contact_id }));
  const [skipped, cancelled] = started;
  const failed = await api.get<{ data: Made[] }>(
    `/api/v1/workflows/${large.id}/executions?limit=1&status=FAILED`,
  );
  const path = `workflows/${moved.id}/executions`;
  return [
    followed(posting('skip of a wait', `${path}/${skipped!.id}/skip-wait`)),
    {
      ...followed(posting('cancellation of an execution', `${path}/${cancelled!.id}/cancel`)),
      settle: () => untilNothingRuns(client, moved),
    },
    followed(posting('retry', `workflows/${large.id}/executions/${failed.data[0]!.id}/retry`)),
  ];
}

/** A pause, a new graph and a deletion, with thousands of executions. */
function stopSteps(client: pg.Client, { paused, removed }: Definitions): Step[] {
  const isEmpty = (table: string, { id }: MadeWorkflow) =>
    untilNone(client, `SELECT FROM ${table} WHERE workflow_id = $1 LIMIT 1`, [id]);
  return [
    {
      ...followed(posting('pause', `workflows/${paused.id}/pause`)),
      settle: () => untilNothingRuns(client, paused),
    },
    followed({
      call: call('graph without a step that has a history', 'PUT', `workflows/${paused.id}/graph`, {
        ...chainOf(['EXIT', {}]),
      }),
    }),
    {
      ...followed(posting('pause before a deletion', `workflows/${removed.id}/pause`)),
      settle: () => untilNothingRuns(client, removed),
    },
    {
      ...followed({ call: call('deletion', 'DELETE', `workflows/${removed.id}`) }),
      settle: () => isEmpty('executions', removed),
    },
  ];
}

/** Counts everything that it ends, and is meant to; what it ends goes on for minutes, so it comes last of all. */
export function lastStep({ large }: Definitions): Step {
  const step = posting('pause of the large workflow', `workflows/${large.id}/pause`);
  return { ...step, call: { ...step.call, readsAll: true } };
}

const untilNothingRuns = (client: pg.Client, { id }: MadeWorkflow): Promise<void> =>
  untilNone(client, `SELECT FROM executions WHERE workflow_id = $1 AND ended_at IS NULL LIMIT 1`, [id]);

export async function untilNone(client: pg.Client, sql: string, parameters: unknown[]): Promise<void> {
  for (const deadline = performance.now() + timeoutMs; ;) {
    if ((await client.query(sql, parameters)).rowCount === 0) return;
    if (performance.now() > deadline)
      throw new Error(`after ${timeoutMs} ms there is still something: ${sql}`);
    await delay(checkEveryMs);
  }
}
