import { ConfirmTokens } from '@posthorn/mail';
import type { Api } from '../audience/api.js';
import { conditionsOf } from '../audience/conditions.js';
import type { TrackedFixture } from '../audience/fixture.js';
import { nthAddress } from '../audience/people.js';
import { benchSecret } from '../product.js';
import { importCalls } from './import-calls.js';

/** One call of the front door. */
export interface Call {
  name: string;
  method: string;
  path: string;
  body?: object;
  /** Instead of a body in JSON. */
  csv?: string;
  /** It answers a condition for all contacts, and is meant to. */
  readsAll?: boolean;
  /** What follows comes over the bus. */
  waits?: boolean;
}

interface Made {
  id: string;
}

export const call = (name: string, method: string, path: string, body?: object): Call => ({
  name,
  method,
  path: `/api/v1/${path}`,
  ...(body ? { body } : {}),
});

/** Every route of the contacts service, in an order in which each has something to work on. */
export async function callsOf({ api, lists, segmentId }: TrackedFixture): Promise<Call[]> {
  const confirm = await confirmCall(api);
  const erased = await idOf(api, nthAddress(90));
  await api.delete(`/api/v1/contacts/${erased}`);
  const { data } = await api.get<{ data: Made[]; next_cursor: string }>('/api/v1/contacts?limit=2');
  const { next_cursor: cursor } = await api.get<{ next_cursor: string }>('/api/v1/contacts?limit=100');
  const list = await api.post<Made>('/api/v1/lists', { name: 'Gone soon' });
  const fixed = await api.post<Made>('/api/v1/segments', { name: 'By hand', type: 'STATIC' });
  const living = await api.post<Made>('/api/v1/segments', {
    name: 'Gone soon',
    type: 'DYNAMIC',
    condition: ofPlan('team'),
  });
  const id = data[0]!.id;
  return [
    ...personReads(await idOf(api, nthAddress(1)), erased),
    ...contactReads(id, lists[0], segmentId, encodeURIComponent(cursor)),
    ...otherReads(id, lists[0], segmentId),
    ...conditionsOf(lists).map(({ name, condition }) => ({
      ...call(`preview: ${name}`, 'POST', 'segments/preview', { condition }),
      readsAll: true,
    })),
    ...contactWrites(id),
    ...otherWrites(list.id),
    confirm,
    ...(await importCalls(api, lists[0])),
    ...segmentWrites(fixed.id, living.id),
  ];
}

const ofPlan = (plan: string) => ({
  logic: 'AND',
  groups: [{ filters: [{ field: 'customFields.plan', operator: 'equals', value: plan }] }],
});

const idOf = async (api: Api, email: string): Promise<string> =>
  (await api.get<{ data: Made[] }>(`/api/v1/contacts?search=${encodeURIComponent(email)}`)).data[0]!.id;

/** The link of a mail that asks whether somebody wants to be a member. */
async function confirmCall(api: Api): Promise<Call> {
  const list = await api.post<Made>('/api/v1/lists', { name: 'Asked first', double_opt_in: true });
  await api.post(`/api/v1/lists/${list.id}/subscribe`, { email: nthAddress(91) });
  const { data } = await api.get<{ data: Made[] }>(`/api/v1/lists/${list.id}/members?status=PENDING`);
  const [token] = new ConfirmTokens([benchSecret]).of({
    projectId: api.projectId,
    membershipId: data[0]!.id,
    round: 1,
  });
  return call('confirm link', 'POST', `lists/confirm-subscription?token=${token}`);
}

/** Of the one who has done most. */
const personReads = (id: string, erasureId: string): Call[] => [
  call('activity of a contact', 'GET', `contacts/${id}/activity?limit=100`),
  call('all data of a contact', 'GET', `contacts/${id}/data`),
  call('an erasure', 'GET', `erasures/${erasureId}`),
];

const contactReads = (id: string, listId: string, segmentId: string, cursor: string): Call[] => [
  call('first page of contacts', 'GET', 'contacts?limit=100'),
  call('a later page', 'GET', `contacts?limit=100&after=${cursor}`),
  call('the unsubscribed', 'GET', 'contacts?limit=100&subscribed=false'),
  call('search that finds one', 'GET', `contacts?limit=100&search=${nthAddress(1_234)}`),
  call('search that finds many', 'GET', 'contacts?limit=100&search=firm'),
  call('search that finds none', 'GET', 'contacts?limit=100&search=nobody-at-all'),
  { ...call('search with its total', 'GET', ''), path: '/api/contacts?limit=100&search=firm' },
  { ...call('first page with its total', 'GET', ''), path: '/api/contacts?limit=100' },
  call('contacts of a list', 'GET', `contacts?limit=100&list_id=${listId}`),
  call('contacts of a segment', 'GET', `contacts?limit=100&segment_id=${segmentId}`),
  call('one contact', 'GET', `contacts/${id}`),
  call('its consents', 'GET', `contacts/${id}/consents`),
  call('export of some', 'GET', 'contacts/export?search=reader-12'),
];

const otherReads = (id: string, listId: string, segmentId: string): Call[] => [
  call('lists', 'GET', 'lists'),
  call('one list', 'GET', `lists/${listId}`),
  call('its members', 'GET', `lists/${listId}/members?limit=100`),
  call('its members who left', 'GET', `lists/${listId}/members?limit=100&status=UNSUBSCRIBED`),
  call('segments', 'GET', 'segments'),
  call('one segment', 'GET', `segments/${segmentId}`),
  call('its contacts', 'GET', `segments/${segmentId}/contacts?limit=100`),
  call('events', 'GET', 'events?limit=100'),
  call('events of a name', 'GET', 'events?limit=100&event_name=event-7'),
  call('events of a contact', 'GET', `events?limit=100&contact_id=${id}`),
  {
    ...call('events of a name with their total', 'GET', ''),
    path: '/api/events?limit=100&eventName=event-7',
  },
  call('names of events', 'GET', 'events/names'),
  call('events by day', 'GET', 'events/stats'),
];

const contactWrites = (id: string): Call[] => [
  call('create', 'POST', 'contacts', { email: 'new@plans.example', custom_fields: { plan: 'pro' } }),
  call('upsert of a new address', 'POST', 'contacts/upsert', {
    email: 'newer@plans.example',
    custom_fields: { plan: 'pro' },
  }),
  call('upsert of a known address', 'POST', 'contacts/upsert', {
    email: nthAddress(77),
    custom_fields: { seats: 1_000 },
  }),
  call('upsert that changes nothing', 'POST', 'contacts/upsert', {
    email: nthAddress(77),
    custom_fields: { seats: 1_000 },
  }),
  call('bulk of 200', 'POST', 'contacts/bulk', {
    contacts: Array.from({ length: 200 }, (_, n) => ({
      email: n % 2 ? nthAddress(1_000 + n) : `bulk-${n}@plans.example`,
      custom_fields: { seats: 1_001 },
    })),
  }),
  call('change', 'PATCH', `contacts/${id}`, { custom_fields: { plan: 'team' } }),
  call('unsubscribe', 'PATCH', `contacts/${id}`, { subscribed: false }),
  call('deletion', 'DELETE', `contacts/${id}`),
  call('deletion of many', 'DELETE', 'contacts/bulk', {
    emails: ['newer@plans.example', nthAddress(78), nthAddress(79)],
  }),
];

const otherWrites = (listId: string): Call[] =>
  [
    {
      ...call('track of a known address', 'POST', ''),
      path: '/api/track',
      body: { event: 'event-3', email: nthAddress(80), data: { seats: 5 } },
    },
    {
      ...call('track of a stranger', 'POST', ''),
      path: '/api/track',
      body: { event: 'event-3', email: 'tracked@plans.example' },
    },
    call('event', 'POST', 'events', { name: 'event-1', email: nthAddress(81) }),
    call('a mail, which makes a contact and tells what became of it', 'POST', 'emails', {
      to: 'mailed@plans.example',
      subject: 'Hi',
      body: '<p>Hi</p>',
    }),
    call('subscribe', 'POST', `lists/${listId}/subscribe`, { email: nthAddress(82) }),
    call('unsubscribe from the list', 'POST', `lists/${listId}/unsubscribe`, { email: nthAddress(82) }),
    call('change of a list', 'PATCH', `lists/${listId}`, { name: 'Gone sooner' }),
    call('deletion of a list', 'DELETE', `lists/${listId}`),
  ].map((each) => ({ ...each, waits: each.path.endsWith('emails') }));

const segmentWrites = (fixedId: string, livingId: string): Call[] => [
  call('members put in', 'POST', `segments/${fixedId}/members`, { emails: [nthAddress(83), nthAddress(84)] }),
  call('members taken out', 'DELETE', `segments/${fixedId}/members`, { emails: [nthAddress(83)] }),
  {
    ...call('segment by condition', 'POST', 'segments', {
      name: 'Free',
      type: 'DYNAMIC',
      condition: ofPlan('free'),
    }),
    readsAll: true,
  },
  {
    ...call('another condition', 'PATCH', `segments/${livingId}`, { condition: ofPlan('pro') }),
    readsAll: true,
  },
  call('another name', 'PATCH', `segments/${livingId}`, { name: 'Gone sooner' }),
  { ...call('deletion of a segment with its members', 'DELETE', `segments/${livingId}`), readsAll: true },
];
