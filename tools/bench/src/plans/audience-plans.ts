import { ConfirmTokens } from '@posthorn/mail';
import type { Api } from '../audience/api.js';
import { conditionsOf } from '../audience/conditions.js';
import { makeFixtures, untilEvaluated, type TrackedFixture } from '../audience/fixture.js';
import { nthAddress } from '../audience/people.js';
import type { Bench } from '../bench.js';
import { benchSecret, Product } from '../product.js';
import {
  followed,
  legacy,
  patch,
  post,
  read,
  recordPlans,
  remove,
  type Made,
  type Step,
} from './recorded-calls.js';

/** Every statement of the contacts service; fails where a request reads a whole table that is not meant to. */
export async function writeAudiencePlans(bench: Bench): Promise<void> {
  const { servers, scale } = bench;
  const contacts = scale.audiences.at(-1)!;
  await Product.during(servers, {}, async (product) => {
    const { tracked } = await makeFixtures(servers, product, contacts);
    await recordPlans(bench, product, {
      services: ['contacts'],
      page: 'dist/audience-plans.md',
      head: {
        script: 'npm run plans:audience',
        title: 'Plans of the contacts service',
        text: `Every statement that the service asked while each of its routes was called, in a project of ${contacts} contacts with five fields each, ${contacts * 10} events,
two lists and twenty tracked segments, beside another of as many contacts. What follows of a call by itself, as entries and exits of segments, stands with it.`,
      },
      steps: async () =>
        (await callsOf(tracked)).map((step) => ({ ...step, settle: () => untilEvaluated(servers) })),
      api: tracked.api,
    });
  });
}

/** Every route of the contacts service, in an order in which each has something to work on. */
async function callsOf({ api, lists, segmentId }: TrackedFixture): Promise<Step[]> {
  const confirm = await confirmCall(api);
  const erased = await idOf(api, nthAddress(90));
  await api.delete(`/api/v1/contacts/${erased}`);
  const { data } = await api.get<{ data: Made[]; next_cursor: string }>('/api/v1/contacts?limit=2');
  const { next_cursor: cursor } = await api.get<{ next_cursor: string }>('/api/v1/contacts?limit=100');
  const list = await api.post<Made>('/api/v1/lists', { name: 'Gone soon' });
  const fixed = await api.post<Made>('/api/v1/segments', { name: 'By hand', type: 'STATIC' });
  const living = await api.post<Made>('/api/v1/segments', dynamic('Gone soon', 'team'));
  const id = data[0]!.id;
  return [
    ...personReads(await idOf(api, nthAddress(1)), erased),
    ...contactReads(id, lists[0], segmentId, encodeURIComponent(cursor)),
    ...otherReads(id, lists[0], segmentId),
    ...conditionsOf(lists).map(({ name, condition }) =>
      readingAll(post(`preview: ${name}`, 'segments/preview', { condition })),
    ),
    ...contactWrites(id),
    ...otherWrites(list.id),
    confirm,
    ...(await importCalls(api, lists[0])),
    ...segmentWrites(fixed.id, living.id),
  ];
}

const readingAll = (step: Step): Step => ({ ...step, readsAll: true });
const ofPlan = (value: string) => ({
  logic: 'AND',
  groups: [{ filters: [{ field: 'customFields.plan', operator: 'equals', value }] }],
});
const dynamic = (name: string, plan: string) => ({ name, type: 'DYNAMIC', condition: ofPlan(plan) });

const idOf = async (api: Api, email: string): Promise<string> =>
  (await api.get<{ data: Made[] }>(`/api/v1/contacts?search=${encodeURIComponent(email)}`)).data[0]!.id;

/** The link of a mail that asks whether somebody wants to be a member. */
async function confirmCall(api: Api): Promise<Step> {
  const list = await api.post<Made>('/api/v1/lists', { name: 'Asked first', double_opt_in: true });
  await api.post(`/api/v1/lists/${list.id}/subscribe`, { email: nthAddress(91) });
  const { data } = await api.get<{ data: Made[] }>(`/api/v1/lists/${list.id}/members?status=PENDING`);
  const membership = { projectId: api.projectId, membershipId: data[0]!.id, round: 1 };
  const [token] = new ConfirmTokens([benchSecret]).of(membership);
  return post('confirm link', `lists/confirm-subscription?token=${token}`);
}

/** Of the one who has done most. */
const personReads = (id: string, erasureId: string): Step[] => [
  read('activity of a contact', `contacts/${id}/activity?limit=100`),
  read('all data of a contact', `contacts/${id}/data`),
  read('an erasure', `erasures/${erasureId}`),
];

const contactReads = (id: string, listId: string, segmentId: string, cursor: string): Step[] => [
  read('first page of contacts', 'contacts?limit=100'),
  read('a later page', `contacts?limit=100&after=${cursor}`),
  read('the unsubscribed', 'contacts?limit=100&subscribed=false'),
  read('search that finds one', `contacts?limit=100&search=${nthAddress(1_234)}`),
  read('search that finds many', 'contacts?limit=100&search=firm'),
  read('search that finds none', 'contacts?limit=100&search=nobody-at-all'),
  legacy('search with its total', 'contacts?limit=100&search=firm'),
  legacy('first page with its total', 'contacts?limit=100'),
  read('contacts of a list', `contacts?limit=100&list_id=${listId}`),
  read('contacts of a segment', `contacts?limit=100&segment_id=${segmentId}`),
  read('one contact', `contacts/${id}`),
  read('its consents', `contacts/${id}/consents`),
  read('export of some', 'contacts/export?search=reader-12'),
];

const otherReads = (id: string, listId: string, segmentId: string): Step[] => [
  read('lists', 'lists'),
  read('one list', `lists/${listId}`),
  read('its members', `lists/${listId}/members?limit=100`),
  read('its members who left', `lists/${listId}/members?limit=100&status=UNSUBSCRIBED`),
  read('segments', 'segments'),
  read('one segment', `segments/${segmentId}`),
  read('its contacts', `segments/${segmentId}/contacts?limit=100`),
  read('events', 'events?limit=100'),
  read('events of a name', 'events?limit=100&event_name=event-7'),
  read('events of a contact', `events?limit=100&contact_id=${id}`),
  legacy('events of a name with their total', 'events?limit=100&eventName=event-7'),
  read('names of events', 'events/names'),
  read('events by day', 'events/stats'),
];

const contactWrites = (id: string): Step[] => [
  post('create', 'contacts', { email: 'new@plans.example', custom_fields: { plan: 'pro' } }),
  post('upsert of a new address', 'contacts/upsert', {
    email: 'newer@plans.example',
    custom_fields: { plan: 'pro' },
  }),
  ...['upsert of a known address', 'upsert that changes nothing'].map((name) =>
    post(name, 'contacts/upsert', { email: nthAddress(77), custom_fields: { seats: 1_000 } }),
  ),
  post('bulk of 200', 'contacts/bulk', {
    contacts: Array.from({ length: 200 }, (_, n) => ({
      email: n % 2 ? nthAddress(1_000 + n) : `bulk-${n}@plans.example`,
      custom_fields: { seats: 1_001 },
    })),
  }),
  patch('change', `contacts/${id}`, { custom_fields: { plan: 'team' } }),
  patch('unsubscribe', `contacts/${id}`, { subscribed: false }),
  remove('deletion', `contacts/${id}`),
  remove('deletion of many', 'contacts/bulk', {
    emails: ['newer@plans.example', nthAddress(78), nthAddress(79)],
  }),
];

const otherWrites = (listId: string): Step[] => [
  legacy('track of a known address', 'track', 'POST', {
    event: 'event-3',
    email: nthAddress(80),
    data: { seats: 5 },
  }),
  legacy('track of a stranger', 'track', 'POST', { event: 'event-3', email: 'tracked@plans.example' }),
  post('event', 'events', { name: 'event-1', email: nthAddress(81) }),
  followed(
    post('a mail, which makes a contact and tells what became of it', 'emails', {
      to: 'mailed@plans.example',
      subject: 'Hi',
      body: '<p>Hi</p>',
    }),
  ),
  post('subscribe', `lists/${listId}/subscribe`, { email: nthAddress(82) }),
  post('unsubscribe from the list', `lists/${listId}/unsubscribe`, { email: nthAddress(82) }),
  patch('change of a list', `lists/${listId}`, { name: 'Gone sooner' }),
  remove('deletion of a list', `lists/${listId}`),
];

const segmentWrites = (fixedId: string, livingId: string): Step[] => [
  post('members put in', `segments/${fixedId}/members`, { emails: [nthAddress(83), nthAddress(84)] }),
  remove('members taken out', `segments/${fixedId}/members`, { emails: [nthAddress(83)] }),
  readingAll(post('segment by condition', 'segments', dynamic('Free', 'free'))),
  readingAll(patch('another condition', `segments/${livingId}`, { condition: ofPlan('pro') })),
  patch('another name', `segments/${livingId}`, { name: 'Gone sooner' }),
  readingAll(remove('deletion of a segment with its members', `segments/${livingId}`)),
];

const rowOf = (n: number): string => `${n % 2 ? nthAddress(2_000 + n) : `row-${n}@plans.example`},pro,${n}`;
const csv = ['email,plan,seats', ...Array.from({ length: 500 }, (_, n) => rowOf(n))].join('\n');

/** A table that makes contacts and changes some, into a list; one that is over is asked about. */
async function importCalls(api: Api, listId: string): Promise<Step[]> {
  const { id } = await api.request<{ id: string }>({
    method: 'POST',
    path: '/api/v1/contacts/imports',
    headers: { ...api.headers, 'content-type': 'text/csv' },
    body: 'email\nno address\nimported@plans.example',
  });
  return [
    { ...post('preview of an import', 'contacts/imports/preview'), csv },
    { ...post('import into a list', `contacts/imports?list_ids=${listId}`), csv, waits: true },
    read('imports', 'contacts/imports?limit=100'),
    read('one import', `contacts/imports/${id}`),
    read('its errors', `contacts/imports/${id}/errors`),
  ];
}
