import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  expectNothingStored,
  expectRefusal,
  prefixes,
  randomId,
  surfaces,
  withPosthorn,
  type Surface,
} from '../testing/bad-input.js';

const suite = withPosthorn();
const noRoute = { status: 404, code: 'resource_not_found', detail: 'No such route' };
const noSuch = (noun: string) => ({ status: 404, code: 'resource_not_found', detail: `No such ${noun}` });
const wrongMethod = {
  status: 405,
  code: 'resource_not_found',
  detail: 'The resource does not know this method',
};
const request = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  suite.posthorn.request(method, path, body, headers);

/** Every route with an id in its path. */
const positions: [method: string, path: (id: string) => string, noun: string][] = [
  ['GET', (id) => `/emails/${id}`, 'email'],
  ['POST', (id) => `/emails/${id}/cancel`, 'email'],
  ['GET', (id) => `/contacts/${id}`, 'contact'],
  ['PATCH', (id) => `/contacts/${id}`, 'contact'],
  ['DELETE', (id) => `/contacts/${id}`, 'contact'],
  ['GET', (id) => `/campaigns/${id}`, 'campaign'],
  ['PATCH', (id) => `/campaigns/${id}`, 'campaign'],
  ['DELETE', (id) => `/campaigns/${id}`, 'campaign'],
  ['POST', (id) => `/campaigns/${id}/clone`, 'campaign'],
  ['GET', (id) => `/workflows/${id}`, 'workflow'],
  ['PATCH', (id) => `/workflows/${id}`, 'workflow'],
  ['DELETE', (id) => `/workflows/${id}`, 'workflow'],
  ['POST', (id) => `/workflows/${id}/clone`, 'workflow'],
  ['GET', (id) => `/workflows/${id}/graph`, 'workflow'],
];
const bodyOf = (method: string, noun: string) =>
  method !== 'PATCH' ? undefined : noun === 'contact' ? { subscribed: true } : { name: 'Theirs' };

describe('an unknown route', () => {
  const unknown: [path: string, surface: Surface][] = [
    ['/api', 'legacy'],
    ['/api/', 'legacy'],
    ['/api/nowhere', 'legacy'],
    ['/api/v2/emails', 'legacy'],
    ['/api/V1/emails', 'legacy'],
    ['/API/v1/emails', 'legacy'],
    ['//api/v1/emails', 'legacy'],
    ['/api/emails%2f', 'legacy'],
    ['/api/contacts/%zz', 'legacy'],
    ['/api/v1', 'v1'],
    ['/api/v1/', 'v1'],
    ['/api/v1/nowhere', 'v1'],
    ['/api/v1//emails', 'v1'],
    ['/api/v1/emails%2f', 'v1'],
    ['/api/v1/emails/%zz', 'v1'],
    ['/api/v1/emails/%ed%a0%80', 'v1'],
    [`/api/v1/emails/${randomId}/`, 'v1'],
    [`/api/v1/emails/${randomId}/events`, 'v1'],
  ];
  it.each(unknown)('%s is 404 in the dialect of its prefix', async (path, surface) => {
    for (const method of ['GET', 'POST', 'DELETE'])
      expectRefusal(await request(method, `${path}?a=b`), surface, `${path}?a=b`, noRoute);
  });

  it.each(surfaces)('a trailing slash on %s is no list and no send', async (surface) => {
    const mail = { to: 'ada@example.com', subject: 'Hello', body: '<p>Hi</p>' };
    expectRefusal(
      await request('GET', `${prefixes[surface]}/emails/`),
      surface,
      `${prefixes[surface]}/emails/`,
      noSuch('email'),
    );
    expectRefusal(
      await request('POST', `${prefixes[surface]}/emails/`, mail),
      surface,
      `${prefixes[surface]}/emails/`,
      noRoute,
    );
    await expectNothingStored(suite.posthorn);
  });
});

describe.each(surfaces)('a method that a path of %s does not know', (surface) => {
  const prefix = prefixes[surface];
  it.each([
    ['PUT', '/emails', 'POST, GET, HEAD'],
    ['PATCH', '/emails', 'POST, GET, HEAD'],
    ['DELETE', '/emails', 'POST, GET, HEAD'],
    ['PROPFIND', '/emails', 'POST, GET, HEAD'],
    ['DELETE', `/emails/${randomId}`, 'GET, HEAD'],
    ['GET', `/emails/${randomId}/cancel`, 'POST'],
    ['POST', `/contacts/${randomId}`, 'GET, PATCH, DELETE, HEAD'],
    ['PUT', '/contacts/no-id', 'GET, PATCH, DELETE, HEAD'],
    ['POST', '/analytics/timeseries', 'GET, HEAD'],
    ['OPTIONS', '/contacts', 'POST, GET, HEAD'],
  ])('%s %s is 405 with Allow', async (method, path, allow) => {
    const answer = await request(method, `${prefix}${path}`);
    expectRefusal(answer, surface, `${prefix}${path}`, wrongMethod);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('HEAD responds like GET without a body', async () => {
    const found = await request('HEAD', `${prefix}/emails`);
    expect([found.status, found.text]).toEqual([200, '']);
    for (const path of ['/nowhere', `/emails/${randomId}`, '/emails/no-id']) {
      const answer = await request('HEAD', `${prefix}${path}`);
      expect([answer.status, answer.text]).toEqual([404, '']);
    }
    expect((await request('HEAD', `${prefix}/emails/${randomId}/cancel`)).status).toBe(405);
  });

  it('OPTIONS answers preflights of sends only', async () => {
    const preflight = await request('OPTIONS', `${prefix}/emails`, undefined, {
      origin: 'https://shop.example',
    });
    expect([preflight.status, preflight.text, preflight.headers.get('access-control-allow-methods')]).toEqual(
      [204, '', 'POST'],
    );
    expectRefusal(await request('OPTIONS', `${prefix}/nowhere`), surface, `${prefix}/nowhere`, noRoute);
  });
});

describe.each(surfaces)('an id on %s', (surface) => {
  const malformed = [
    'x', '0', '-1', 'null', '%00', '%0d%0a', "'%20OR%20'1'='1", '%F0%9F%98%80', randomId.slice(0, -1), `${randomId}0`, randomId.replaceAll('-', ''),
    `%7B${randomId}%7D`, `${randomId}%0a`, `%20${randomId}`, randomId.replace('b', 'g'), 'a'.repeat(500), 'a'.repeat(8_000),
  ]; // prettier-ignore
  it.each(positions)('that is malformed answers like a stranger’s: %s', async (method, pathOf, noun) => {
    for (const id of [...malformed, randomId, randomId.toUpperCase()]) {
      const path = `${prefixes[surface]}${pathOf(id)}`;
      expectRefusal(await request(method, path, bodyOf(method, noun)), surface, path, noSuch(noun));
    }
  });
});

describe('a resource of another project', () => {
  let outsider: string;
  let ids: Record<string, string>;
  beforeAll(async () => {
    const project = await suite.operator('projects', 'create', '--name', 'Another');
    outsider = (await suite.operator('keys', 'create', '--name', 'theirs', '--project', project['id']!))[
      'token'
    ]!;
    const email = await suite.posthorn.post('/api/v1/emails', {
      to: 'ada@example.com',
      subject: 'Ours',
      body: '<p>Hi</p>',
    });
    const contact = await suite.posthorn.post('/api/v1/contacts', { email: 'ours@example.com' });
    const campaign = await suite.posthorn.post('/api/v1/campaigns', { name: 'Ours', audience_type: 'ALL' });
    const workflow = await suite.posthorn.post('/api/v1/workflows', { name: 'Ours', trigger_type: 'MANUAL' });
    ids = {
      email: email.body.id,
      contact: contact.body.id,
      campaign: campaign.body.id,
      workflow: workflow.body.id,
    };
  });
  const nouns = ['emails', 'contacts', 'campaigns', 'workflows'];
  const ours = () =>
    Promise.all(nouns.map((noun) => suite.posthorn.get(`/api/v1/${noun}/${ids[noun.slice(0, -1)]}`)));
  afterEach(async () => {
    const now = (await ours()).map(({ body }) => [body.id, body.subscribed, body.name]);
    expect(now).toEqual([
      [ids['email'], undefined, undefined],
      [ids['contact'], true, undefined],
      [ids['campaign'], undefined, 'Ours'],
      [ids['workflow'], undefined, 'Ours'],
    ]);
  });

  describe.each(surfaces)('on %s', (surface) => {
    it.each(positions)('is told from nothing by no byte: %s', async (method, pathOf, noun) => {
      const answers = [ids[noun]!, randomId].map(async (id) => {
        const path = `${prefixes[surface]}${pathOf(id)}`;
        const answer = await request(method, path, bodyOf(method, noun), {
          authorization: `Bearer ${outsider}`,
        });
        expectRefusal(answer, surface, path, noSuch(noun));
        const stored = [...answer.headers].filter(([name]) => !['date', 'content-length'].includes(name));
        return [stored, answer.text.replace(path, '').replace(/"request_id":"[^"]*"/, '')];
      });
      const [foreign, random] = await Promise.all(answers);
      expect(foreign).toEqual(random);
    });

    it('is not in any of their lists', async () => {
      for (const noun of nouns) {
        const { status, body } = await request('GET', `${prefixes[surface]}/${noun}`, undefined, {
          authorization: `Bearer ${outsider}`,
        });
        const items = surface === 'legacy' && noun !== 'emails' ? body.data.items : body.data;
        expect([status, items]).toEqual([200, []]);
      }
    });
  });
});
