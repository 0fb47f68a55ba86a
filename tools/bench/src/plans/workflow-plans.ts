import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type pg from 'pg';
import type { Api } from '../audience/api.js';
import type { Bench } from '../bench.js';
import { makeAudiences, nthReader } from '../campaigns/audiences.js';
import { databaseOf, inDatabase } from '../databases.js';
import { Product } from '../product.js';
import { chainOf, crowdsOf, makeWorkflow, type Crowd, type MadeWorkflow } from '../workflows/workflow.js';
import {
  deletionsOfUnused,
  followed,
  legacy,
  patch,
  post,
  put,
  read,
  recordPlans,
  remove,
  untilNone,
  type Made,
  type Step,
} from './recorded-calls.js';
import { webhookSteps } from './webhook-steps.js';
import { awaitedEvent, fractionOfOthers, storeCalls, storeExecutions } from './workflow-rows.js';

/** They have executions that go on and subscriptions that are called. */
const contacts = 1_000;

/** Every statement of workflows, of the engine and of the dispatcher; fails where one reads a whole table. */
export async function writeWorkflowPlans(bench: Bench): Promise<void> {
  const { servers, scale } = bench;
  const many = scale.audiences.at(-1)!;
  const product = await Product.start(servers, { WEBHOOK_ALLOW_PRIVATE: 'true' });
  const endpoint = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
  try {
    await once(endpoint, 'listening');
    const [crowd] = await crowdsOf(servers, await makeAudiences(servers, product, [contacts]));
    const { api } = crowd!.audience;
    const { port } = endpoint.address() as AddressInfo;
    const made = await makeDefinitions(crowd!, `http://127.0.0.1:${port}/hook`);
    await inDatabase(databaseOf(servers.databaseUrl, 'workflows'), async (client) => {
      await storeExecutions(client, made, many);
      await storeCalls(client, made, many);
      await recordPlans(bench, product, {
        services: ['workflows'],
        page: 'dist/workflow-plans.md',
        head: {
          script: 'npm run plans:workflows',
          title: 'Plans of workflows and webhooks',
          text: `Every statement that the workflows service asked while each of its routes was called, with ${many} executions of one workflow, most of which wait,
${many} calls of one webhook and as many calls of steps. What follows of a call by itself, as the steps of executions and the calls of endpoints, stands with it.`,
        },
        api,
        steps: async () => [
          ...(await workflowSteps(client, made)),
          ...(await webhookSteps(client, made)),
          lastStep(made),
        ],
        parts: {
          executions: Math.floor(many / fractionOfOthers),
          calls: Math.floor(many / fractionOfOthers),
        },
      });
    });
  } finally {
    await product.stop();
    endpoint.closeAllConnections();
    endpoint.close();
  }
}

const startEvent = 'plans-signup';

/** What the statements of the plans are about. */
export interface Definitions {
  crowd: Crowd;
  api: Api;
  url: string;
  /** A million executions; it starts by no event that comes. */
  large: MadeWorkflow;
  /** So many fewer that all of them can be ended and removed. */
  paused: MadeWorkflow;
  removed: MadeWorkflow;
  /** Executions of it wait for an event of real contacts. */
  waiting: MadeWorkflow;
  /** As that one; people move its executions. */
  moved: MadeWorkflow;
  /** Goes through every kind of step; an event starts it. */
  whole: MadeWorkflow;
  /** Has a million calls. */
  webhook: string;
  stoppedWebhook: string;
  removedWebhook: string;
}

const manual = { trigger_type: 'MANUAL', allow_reentry: true };

async function makeDefinitions(crowd: Crowd, url: string): Promise<Definitions> {
  const { api, template } = crowd.audience;
  const whole = chainOf(
    ['CONDITION', { field: 'contact.subscribed', operator: 'equals', value: true }],
    ['SEND_EMAIL', { templateId: template }],
    ['DELAY', { amount: 0.01, unit: 'minutes' }],
    ['UPDATE_CONTACT', { updates: { plan: 'pro' } }],
    ['WEBHOOK', { url, body: { email: '{{ contact.email }}' } }],
    ['WAIT_FOR_EVENT', { eventName: awaitedEvent, timeout: 1 }],
    ['EXIT', { reason: 'Done' }],
  );
  const subscription = { url, event_types: ['contact.created', 'contact.deleted', 'workflow.completed'] };
  const webhook = async () => (await api.post<Made>('/api/v1/webhooks', subscription)).id;
  const waits = () =>
    makeWorkflow(
      api,
      manual,
      chainOf(
        ['WAIT_FOR_EVENT', { eventName: awaitedEvent, timeout: 3_000_000 }],
        ['EXIT', { reason: 'Done' }],
      ),
    );
  return {
    crowd,
    api,
    url,
    large: await waits(),
    paused: await waits(),
    removed: await waits(),
    waiting: await waits(),
    moved: await waits(),
    whole: await makeWorkflow(api, { ...manual, trigger_type: 'EVENT', event_name: startEvent }, whole),
    webhook: await webhook(),
    stoppedWebhook: await webhook(),
    removedWebhook: await webhook(),
  };
}

/** Every route of workflows, in an order in which each has something to work on. */
async function workflowSteps(client: pg.Client, made: Definitions): Promise<Step[]> {
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
    legacy('page with its total', 'workflows?limit=100'),
    read('one workflow', `workflows/${large.id}`),
    read('its graph', `workflows/${large.id}/graph`),
    read('the graph of a version', `workflows/${large.id}/versions/${large.version}/graph`),
    read('its document', `workflows/${large.id}/export`),
    read('its counts', `workflows/${large.id}/stats`),
    post('findings of a graph', `workflows/${large.id}/graph/validate`, graph),
    post('rehearsal', `workflows/${large.id}/simulate`, simulated),
    post('rehearsal for an audience', `workflows/${large.id}/simulate-audience`, { sample: 50 }),
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
  return [
    post('create', 'workflows', settings),
    patch('change', `workflows/${changed.id}`, { description: 'Words' }),
    put('graph', `workflows/${changed.id}/graph`, chainOf(['EXIT', {}])),
    post('resume', `workflows/${changed.id}/resume`),
    patch('disable', `workflows/${changed.id}`, { enabled: false }),
    post('copy', `workflows/${large.id}/clone`),
    post('import', 'workflows/import', document),
    remove('deletion of a workflow without executions', `workflows/${gone.id}`),
  ];
}

/** Each kind of step, started by a call and by an event; and a wait that its event ends. */
async function engineSteps(
  client: pg.Client,
  { crowd: { contactIds }, whole, waiting }: Definitions,
): Promise<Step[]> {
  const [first, second] = contactIds;
  const settle = untilNothingRuns(client, whole);
  return [
    followed(post('start', `workflows/${whole.id}/executions`, { contact_id: first }), settle),
    followed(post('start by an event', 'events', { name: startEvent, email: nthReader(200) }), settle),
    followed(post('start that waits', `workflows/${waiting.id}/executions`, { contact_id: second })),
    followed(
      post('event that it waits for', 'events', { name: awaitedEvent, contact_id: second }),
      untilNothingRuns(client, waiting),
    ),
    followed(post('event that nothing waits for', 'events', { name: 'other', email: nthReader(201) })),
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
    followed(post('skip of a wait', `${path}/${skipped!.id}/skip-wait`)),
    followed(
      post('cancellation of an execution', `${path}/${cancelled!.id}/cancel`),
      untilNothingRuns(client, moved),
    ),
    followed(post('retry', `workflows/${large.id}/executions/${failed.data[0]!.id}/retry`)),
  ];
}

/** A pause, a new graph and a deletion, with thousands of executions. */
function stopSteps(client: pg.Client, { paused, removed }: Definitions): Step[] {
  const isGone = untilNone(client, `SELECT FROM executions WHERE workflow_id = $1 LIMIT 1`, removed.id);
  const graph = chainOf(['EXIT', {}]);
  return [
    followed(post('pause', `workflows/${paused.id}/pause`), untilNothingRuns(client, paused)),
    followed(put('graph without a step that has a history', `workflows/${paused.id}/graph`, graph)),
    followed(
      post('pause before a deletion', `workflows/${removed.id}/pause`),
      untilNothingRuns(client, removed),
    ),
    followed(remove('deletion', `workflows/${removed.id}`), isGone),
  ];
}

/** Counts everything that it ends, and is meant to; what it ends goes on for minutes, so it comes last of all. */
const lastStep = ({ large }: Definitions): Step => ({
  ...post('pause of the large workflow', `workflows/${large.id}/pause`),
  readsAll: true,
});

const untilNothingRuns = (client: pg.Client, { id }: MadeWorkflow): (() => Promise<void>) =>
  untilNone(client, `SELECT FROM executions WHERE workflow_id = $1 AND ended_at IS NULL LIMIT 1`, id);
