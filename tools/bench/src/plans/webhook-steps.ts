import type pg from 'pg';
import { nthReader } from '../campaigns/audiences.js';
import {
  followed,
  legacy,
  patch,
  post,
  read,
  remove,
  untilNone,
  type Made,
  type Step,
} from './recorded-calls.js';
import type { Definitions } from './workflow-plans.js';

/** Every route of webhooks, events that are delivered, and what becomes of the calls of a stopped subscription. */
export async function webhookSteps(client: pg.Client, made: Definitions): Promise<Step[]> {
  return [
    ...(await callReads(made)),
    ...(await subscriptionSteps(made)),
    ...(await eventSteps(made)),
    ...(await replaySteps(made)),
    ...stopSteps(client, made),
    ...(await erasureSteps(made)),
  ];
}

async function callReads({ api, webhook }: Definitions): Promise<Step[]> {
  const path = `webhooks/${webhook}/calls?limit=100`;
  const { next_cursor: cursor } = await api.get<{ next_cursor: string }>(`/api/v1/${path}`);
  return [
    read('webhooks', 'webhooks?limit=100'),
    legacy('webhooks as a whole', 'webhooks'),
    read('one webhook', `webhooks/${webhook}`),
    read('its calls', path),
    read('a later page of calls', `${path}&after=${encodeURIComponent(cursor)}`),
    legacy('calls with their total', `webhooks/${webhook}/calls?limit=100`),
  ];
}

async function subscriptionSteps({ api, url }: Definitions): Promise<Step[]> {
  const settings = { url, event_types: ['email.bounced'] };
  const { id } = await api.post<Made>('/api/v1/webhooks', settings);
  const secret = `projects/${api.projectId}/webhook-secret`;
  return [
    post('create a webhook', 'webhooks', settings),
    patch('change of a webhook', `webhooks/${id}`, { event_types: ['email.failed'] }),
    post('another secret', `webhooks/${id}/rotate-secret`),
    post('test', `webhooks/${id}/test`),
    followed(patch('pause of a webhook', `webhooks/${id}`, { status: 'PAUSED' })),
    followed(patch('its end', `webhooks/${id}`, { status: 'ACTIVE' })),
    read('the secret of the project', secret),
    post('another secret of the project', secret),
  ];
}

/** To subscriptions that have many calls. */
async function eventSteps({ api }: Definitions): Promise<Step[]> {
  const gone = await api.post<Made>('/api/v1/contacts', { email: 'gone@plans.example' });
  return [
    followed(post('a contact, which subscriptions are about', 'contacts', { email: 'new@plans.example' })),
    followed(remove('its deletion', `contacts/${gone.id}`)),
    followed(
      post('a mail, which they are not about', 'emails', {
        to: nthReader(300),
        subject: 'Hi',
        body: '<p>Hi</p>',
      }),
    ),
  ];
}

/** The calls of ten minutes, which are some hundred. */
async function replaySteps({ api, webhook }: Definitions): Promise<Step[]> {
  const { data } = await api.get<{ data: Made[] }>(`/api/v1/webhooks/${webhook}/calls?limit=1`);
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  return [
    followed(post('replay of a call', `webhooks/${webhook}/calls/${data[0]!.id}/replay`)),
    followed(post('replay of a time', `webhooks/${webhook}/replay`, { from: ago(80), to: ago(70) })),
    followed(
      post('replay of some of a time', `webhooks/${webhook}/replay`, {
        from: ago(100),
        to: ago(90),
        event_types: ['contact.created'],
      }),
    ),
  ];
}

function stopSteps(client: pg.Client, { stoppedWebhook, removedWebhook }: Definitions): Step[] {
  const isGone = (webhookId: string, condition: string) =>
    untilNone(client, `SELECT FROM calls WHERE endpoint_id = $1 AND ${condition} LIMIT 1`, webhookId);
  return [
    followed(
      patch('pause with calls that wait', `webhooks/${stoppedWebhook}`, { status: 'PAUSED' }),
      isGone(stoppedWebhook, `status = 'PENDING'`),
    ),
    followed(remove('deletion of a webhook', `webhooks/${removedWebhook}`), isGone(removedWebhook, 'true')),
  ];
}

/** Of somebody whose execution has ended, and whom calls were about. */
async function erasureSteps({ api, crowd }: Definitions): Promise<Step[]> {
  const path = `contacts/${crowd.contactIds[0]!}`;
  await api.get(`/api/v1/${path}`);
  return [followed(remove('deletion of a contact', path))];
}
