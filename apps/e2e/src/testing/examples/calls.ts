import type { Operation } from '../api-document.js';

type Members = Record<string, unknown>;

const compared = {
  variants: [{ name: 'Plain' }, { name: 'Warm', subject: 'Spring is here' }],
  test: { share: 20, winnerBy: 'OPENS', afterMinutes: 60 },
};

const idOf = (end: number): string => `019b0000-0000-7000-8000-${String(end).padStart(12, '0')}`;
const stepOf = (end: number, type: string, name: string, config: Members) => ({
  id: idOf(end),
  name,
  position: { x: 0, y: 120 * end },
  type,
  config,
});
const wayOf = (end: number, from: number, to: number) => ({
  id: idOf(end),
  fromStepId: idOf(from),
  toStepId: idOf(to),
  condition: null,
  priority: 0,
});
const graph = {
  steps: [
    stepOf(1, 'TRIGGER', 'Signed up', {}),
    stepOf(2, 'SEND_EMAIL', 'Welcome', {
      subject: 'Welcome, {{ contact.first_name }}',
      body: '<p>Good to have you.</p>',
    }),
  ],
  transitions: [wayOf(11, 1, 2)],
};

/** Requests of the examples in contract names; a route with a body that is missing here fails the recording. */
const bodies: Record<string, Members> = {
  'POST emails': {
    to: 'Ada <ada@example.com>',
    subject: 'Welcome, Ada',
    body: '<p>Good to have you.</p>',
    tags: ['welcome'],
  },
  'POST emails/explain': {
    to: 'ada@example.com',
    subject: 'Welcome, Ada',
    body: '<p>Good to have you.</p>',
  },
  'POST emails/batch': {
    emails: [
      { to: 'ada@example.com', subject: 'Welcome, Ada', body: '<p>Good to have you.</p>' },
      { to: 'joan@example.com', subject: 'Welcome, Joan', body: '<p>Good to have you, too.</p>' },
    ],
  },
  'POST contacts': { email: 'grace@example.com', customFields: { plan: 'pro' } },
  'POST contacts/upsert': { email: 'ada@example.com', subscribed: true },
  'PATCH contacts/{id}': { subscribed: false },
  'POST contacts/imports': { csv: 'email,plan\nada@example.com,pro\n' },
  'POST contacts/import': { csv: 'email,plan\nada@example.com,pro\n' },
  'POST contacts/imports/preview': { csv: 'email,plan\nada@example.com,pro\n' },
  'POST lists': { name: 'News', doubleOptIn: true, redirectUrl: 'https://shop.example/welcome' },
  'PATCH lists/{id}': { description: 'Once a month' },
  'POST lists/{id}/subscribe': { email: 'grace@example.com', data: { plan: 'pro' } },
  'POST lists/{id}/unsubscribe': { email: 'grace@example.com' },
  'POST contacts/bulk': {
    contacts: [{ email: 'ada@example.com', subscribed: true }, { email: 'joan@example.com' }],
  },
  'DELETE contacts/bulk': { emails: ['joan@example.com'] },
  'POST events': { name: 'signup', email: 'ada@example.com', payload: { plan: 'pro' } },
  'POST track': { event: 'signup', email: 'ada@example.com', data: { plan: 'pro' } },
  'POST campaigns': {
    name: 'Spring news',
    audienceType: 'ALL',
    subject: 'What is new',
    body: '<p>Plenty.</p>',
    ...compared,
  },
  'PATCH campaigns/{id}': { subject: 'What is new this spring', ...compared },
  'POST campaigns/{id}/send': { scheduledFor: '2036-03-01T09:00:00.000Z' },
  'POST campaigns/{id}/retry-failed': { includeUnconfirmed: false },
  'POST campaigns/{id}/resend': { subject: 'In case you missed it' },
  'POST campaigns/{id}/winner': { variant: 'Warm' },
  // The owner of the demo project: only members get tests.
  'POST campaigns/{id}/test': { email: 'demo@example.test' },
  'POST domains': { domain: 'mail.example.test', stream: 'TRANSACTIONAL' },
  'PATCH domains/{id}': { stream: 'MARKETING', streamDefault: true },
  'POST suppressions': { email: 'grace@example.com', reason: 'MANUAL' },
  'POST suppressions/import': { csv: 'email,reason\nada@example.com,COMPLAINT\n' },
  'POST suppression/import': { csv: 'email,reason\nada@example.com,COMPLAINT\n' },
  'POST suppression': { email: 'grace@example.com', reason: 'MANUAL' },
  // Without a domain nothing is looked up, so that the example is the same everywhere.
  'POST email-validations': { emails: ['ada.example.com'] },
  'POST email-validations/import': { csv: 'name,email\nAda,ada.example.com\n' },
  'POST workflows': { name: 'Welcome', triggerType: 'EVENT', eventName: 'signup' },
  'PATCH workflows/{id}': { description: 'Three mails in a week' },
  'PUT workflows/{id}/graph': graph,
  'POST workflows/{id}/graph/validate': graph,
  // The contact is created per request (OwnedProject.freshened).
  'POST workflows/{id}/executions': { contactId: '', context: { coupon: 'SPRING' } },
  'POST workflows/{id}/simulate': { contact: { email: 'ada@example.com', customFields: { plan: 'pro' } } },
  'POST workflows/{id}/simulate-audience': { sample: 100 },
  'POST webhooks': {
    url: 'https://shop.example/hooks',
    eventTypes: ['email.bounced', 'contact.unsubscribed'],
  },
  'PATCH webhooks/{id}': { status: 'PAUSED' },
  'POST webhooks/{id}/replay': { from: '2026-01-30T00:00:00.000Z', to: '2036-01-31T00:00:00.000Z' },
  'POST workflows/import': {
    format: 'posthorn.workflow/1',
    name: 'Welcome',
    triggerType: 'EVENT',
    eventName: 'signup',
    graph,
  },
  'POST templates': {
    name: 'Welcome',
    subject: 'Welcome, {{ name ?? "friend" }}',
    body: '<p>Good to have you.</p>{{> footer}}',
  },
  'PATCH templates/{id}': { subject: 'Welcome back' },
  'POST templates/{id}/preview': { data: { name: 'Ada' } },
  'POST templates/lint': { body: '<p>Good to have you.</p><img src="http://example.com/horn.png">' },
  'POST snippets': { name: 'footer', body: '<p>Kind regards</p>' },
  'PATCH snippets/{id}': { description: 'Below every mail' },
  // The key is made per request, and the topics are (OwnedProject.freshened).
  'POST topics': { key: 'offers', name: 'Offers', description: 'At most one a week', defaultOptIn: false },
  'PATCH topics/{id}': { archived: true },
  'PUT contacts/{id}/topics': { topics: {} },
  'POST segments': {
    name: 'Pro plan',
    type: 'DYNAMIC',
    condition: {
      logic: 'AND',
      groups: [{ filters: [{ field: 'customFields.plan', operator: 'equals', value: 'pro' }] }],
    },
    trackMembership: true,
  },
  'PATCH segments/{id}': { description: 'Who pays for more' },
  'POST segments/preview': {
    condition: {
      logic: 'AND',
      groups: [{ filters: [{ field: 'customFields.plan', operator: 'equals', value: 'pro' }] }],
    },
  },
  'POST segments/{id}/members': { emails: ['ada@example.com'], createMissing: true },
  'DELETE segments/{id}/members': { emails: ['ada@example.com'] },
  'POST users/me/projects': { name: 'Shop' },
  'PATCH usage': { whenExhausted: 'FAIL' },
  'PATCH projects/{projectId}': {
    tracking: 'MARKETING_ONLY',
    timeZone: 'Europe/Berlin',
    frequencyCap: { messages: 3, days: 7 },
  },
  'POST projects/{projectId}/members': { email: 'grace@example.com', role: 'MEMBER' },
  'PATCH projects/{projectId}/members/{userId}': { role: 'ADMIN' },
  // The user and the link are created per request (OwnedProject.freshened).
  'POST projects/{projectId}/transfer-ownership': { userId: '' },
  'POST invitations/accept': { token: '' },
  'POST projects/{projectId}/api-keys': { name: 'Shop', scopes: ['emails:send', 'emails:read'] },
  'PATCH projects/{projectId}/api-keys/{keyId}': { scopes: ['emails:send'] },
};

const queries: Record<string, Members> = {
  'GET emails': { limit: 1 },
  'GET contacts': { limit: 1, subscribed: true },
  'GET contacts/imports': { limit: 1 },
  'GET lists': { limit: 1 },
  'GET lists/{id}/members': { limit: 1, status: 'CONFIRMED' },
  'GET contacts/{id}/consents': { limit: 1 },
  'GET contacts/{id}/activity': { limit: 1 },
  'GET events': { limit: 1, eventName: 'signup' },
  'GET events/stats': { from: '2026-01-30', to: '2026-01-31' },
  'GET campaigns': { limit: 1, status: 'DRAFT' },
  'GET campaigns/{id}/recipients': { limit: 1, outcome: 'FAILED' },
  'GET campaigns/{id}/failures': { limit: 1 },
  'GET analytics/campaigns': { from: '2026-01-30', to: '2026-01-31' },
  'GET analytics/top-campaigns': { from: '2026-01-30', to: '2026-01-31', limit: 3 },
  'GET workflows': { limit: 1 },
  'GET workflows/{id}/executions': { limit: 1, status: 'FAILED' },
  'GET webhooks': { limit: 1 },
  'GET webhooks/{id}/calls': { limit: 1 },
  'GET domains': { limit: 1 },
  'GET suppressions': { limit: 1, reason: 'MANUAL' },
  'GET suppression': { limit: 1, reason: 'MANUAL' },
  'GET templates': { limit: 1, search: 'come' },
  'GET snippets': { limit: 1 },
  'GET topics': { limit: 1 },
  'GET segments': { limit: 1 },
  'GET segments/{id}/contacts': { limit: 1 },
  'GET users/me/projects': { limit: 1 },
  'GET projects/{projectId}/members': { limit: 1 },
  'GET projects/{projectId}/invitations': { limit: 1 },
  'GET projects/{projectId}/api-keys': { limit: 1 },
  'GET audit-log': { limit: 1, action: 'project.created' },
  'GET analytics/emails': { from: '2026-01-30', to: '2026-01-31', groupBy: 'destination' },
  'GET analytics/timeseries': { from: '2026-01-30', to: '2026-01-31' },
};

const legacyQueryNames: Record<string, string> = { from: 'startDate', to: 'endDate' };

/** The operation without its surface, such as `POST contacts/upsert`. */
export const nameOf = ({ method, path }: Operation): string =>
  `${method} ${path.replace(/^\/api\/(v1\/)?/, '')}`;

export function bodyFor(operation: Operation): Members | undefined {
  if (!operation.requestBody) return undefined;
  const body = bodies[nameOf(operation)];
  if (!body) throw new Error(`add a body for ${nameOf(operation)} to examples/calls.ts`);
  return operation['x-surface'] === 'legacy' ? body : (inSnakeCase(body) as Members);
}

function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [snake(name), inSnakeCase(member)]),
  );
}

export function queryFor(operation: Operation): string {
  const known = operation.parameters?.map(({ name }) => name) ?? [];
  const query = Object.entries(queries[nameOf(operation)] ?? {})
    .map(([name, value]): [string, string] => [
      operation['x-surface'] === 'legacy' ? (legacyQueryNames[name] ?? name) : snake(name),
      String(value),
    ])
    .filter(([name]) => known.includes(name));
  return query.length > 0 ? `?${new URLSearchParams(query).toString()}` : '';
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
