import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  apiKeyEvents,
  emails,
  memberships,
  templates,
  type Caller,
  type Confine,
  type CreateApiKey,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { standIn } from '@posthorn/testing';
import { apiKeysFixture, codeOf, pathOf } from '../testing/api-keys-fixture.js';
import { startGatewaySuite, type GatewaySuite, type Published } from '../testing/gateway-suite.js';

const at = new Date('2026-01-31T09:00:00Z');
const mail = { to: 'ada@example.org', subject: 'Hi', body: 'x' };
const shop = 'https://shop.example';
const known = newId();

let suite: GatewaySuite;
let fixture: ReturnType<typeof apiKeysFixture>;
/** Who reached the services behind the gateway. */
let reached: Caller[] = [];

beforeAll(async () => {
  suite = await startGatewaySuite();
  fixture = apiKeysFixture(suite);
  const { connection } = suite;
  await standIn(connection, templates.known, async ({ ids }) => ({ ids: ids.filter((id) => id === known) }));
  await standIn(connection, emails.accept, async ({ recipients: [first] }, caller) => {
    reached.push(caller);
    return {
      emails: [{ id: first!.id, to: first!.to.email, from: 'a@example.test', contactId: null }],
      acceptedAt: at,
    };
  });
  await standIn(connection, memberships.subscribe, async (_, caller) => {
    reached.push(caller);
    return { membershipId: newId(), status: 'CONFIRMED' as const, created: true, previousStatus: null };
  });
});
beforeEach(() => {
  reached = [];
});
afterAll(() => suite.stop());

const build = async (confine: Confine | null) => {
  const owned = await fixture.buildOwned();
  return { ...owned, ...(await suite.buildKey(owned.projectId, publicKey({ confine }))) };
};
const publicKey = (more: Partial<CreateApiKey>): Partial<CreateApiKey> => ({
  legacyGrantPreset: 'SENDING_ONLY',
  ...more,
});
const send = (key: string, headers: Record<string, string> = {}, prefix = '/api/v1') =>
  suite.request('POST', `${prefix}/emails`, { key, headers, body: mail });
const subscribe = (key: string, headers: Record<string, string> = {}, prefix = '/api/v1') =>
  suite.request('POST', `${prefix}/lists/${newId()}/subscribe`, {
    key,
    headers,
    body: { email: 'ada@example.org' },
  });
const refused = (published: Published) => [...codeOf(published), published.text];
const because = (reason: string) => [
  403,
  expect.stringMatching(/^scope_missing$/i),
  expect.stringContaining(reason),
];

describe('a public key confined to origins', () => {
  it('works in pages of these origins and nowhere else, whatever it calls', async () => {
    const { token } = await build({ origins: [shop, 'http://localhost:8080'] });
    for (const origin of [shop, 'http://localhost:8080']) {
      expect((await send(token, { origin })).status).toBe(202);
      expect((await subscribe(token, { origin })).status).toBe(200);
    }
    expect(reached).toHaveLength(4);
    const elsewhere = [
      'https://shop.example.evil.test',
      'http://shop.example',
      'https://shop.example:8443',
      'https://www.shop.example',
      'HTTPS://SHOP.EXAMPLE',
      `${shop}/`,
      'http://localhost',
      'null',
      '',
    ];
    for (const headers of [{}, ...elsewhere.map((origin) => ({ origin }))]) {
      for (const prefix of ['/api/v1', '/api']) {
        const reason = because('This key works only in pages of the origins');
        expect([headers, ...refused(await send(token, headers, prefix))]).toEqual([headers, ...reason]);
        expect([headers, ...refused(await subscribe(token, headers, prefix))]).toEqual([headers, ...reason]);
      }
    }
    expect(reached).toHaveLength(4);
  });

  it('lets a page of another origin read why it was refused', async () => {
    const { token } = await build({ origins: [shop] });
    const published = await send(token, { origin: 'https://elsewhere.example' });
    expect(published.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('a public key that may only subscribe', () => {
  it('subscribes, sends nothing and reads nothing, on either surface', async () => {
    const { token, projectId } = await build({ subscribeOnly: true });
    for (const prefix of ['/api/v1', '/api']) {
      expect((await subscribe(token, {}, prefix)).status).toBe(200);
      for (const path of ['emails', 'emails/batch']) {
        const body = path === 'emails' ? mail : { emails: [mail] };
        const published = await suite.request('POST', `${prefix}/${path}`, { key: token, body });
        expect(refused(published)).toEqual(because('may only subscribe'));
      }
      for (const path of ['contacts', 'emails', 'lists', `projects/${projectId}/api-keys`])
        expect((await suite.request('GET', `${prefix}/${path}`, { key: token })).status).toBe(403);
    }
    expect(reached.map(({ confine }) => confine)).toEqual([{ subscribeOnly: true }, { subscribeOnly: true }]);
  });
});

describe('a confinement', () => {
  it('is set at creation, shown in every reading, and changed as a whole, in both dialects', async () => {
    const { projectId, owner } = await fixture.buildOwned();
    const made = await fixture.create(projectId, owner, {
      legacy_grant_preset: 'SENDING_ONLY',
      confine: { origins: [shop, shop], template_ids: [known], recipients: 'CONTACTS' },
    });
    const confine = {
      origins: [shop],
      template_ids: [known],
      recipients: 'CONTACTS',
      subscribe_only: false,
    };
    expect([made.status, made.json['confine']]).toEqual([201, confine]);
    const one = `${pathOf(projectId)}/${String(made.json['id'])}`;
    const legacy = one.replace('/v1', '');
    expect((await suite.request('GET', one, owner)).json['confine']).toEqual(confine);
    const listed = await suite.request('GET', pathOf(projectId), owner);
    expect(listed.json['data']).toMatchObject([{ confine }]);
    const patch = (path: string, body: object) => suite.request('PATCH', path, { ...owner, body });
    expect((await patch(one, { name: 'Renamed' })).json['confine']).toEqual(confine);
    expect((await patch(legacy, { confine: { subscribeOnly: true, templateIds: null } })).json).toMatchObject(
      {
        data: { confine: { origins: null, templateIds: null, recipients: 'ANY', subscribeOnly: true } },
      },
    );
    expect((await patch(one, { confine: null })).json['confine']).toBeNull();
    const changed = await suite.eventsOf(projectId, apiKeyEvents.changed);
    expect(changed.map(({ keyId }) => keyId)).toEqual(Array.from({ length: 3 }, () => made.json['id']));
  });

  it('takes effect within a second of its change', async () => {
    const { token, id, projectId, owner } = await build(null);
    expect((await send(token)).status).toBe(202);
    const patch = (confine: object | null) =>
      suite.request('PATCH', `${pathOf(projectId)}/${id}`, { ...owner, body: { confine } });
    await patch({ subscribe_only: true });
    await delay(1_000);
    expect(refused(await send(token))).toEqual(because('may only subscribe'));
    await patch(null);
    await delay(1_000);
    expect((await send(token)).status).toBe(202);
  });

  it.each<[string, object, string]>([
    ['that is empty', {}, '/confine'],
    ['that confines nothing', { recipients: 'ANY', origins: null, subscribe_only: false }, '/confine'],
    ['without any origin', { origins: [] }, '/confine/origins'],
    [
      'with 21 origins',
      { origins: Array.from({ length: 21 }, (_, i) => `https://s${i}.example`) },
      '/confine/origins',
    ],
    ['without any template', { template_ids: [] }, '/confine/template_ids'],
    ['with 51 templates', { template_ids: Array.from({ length: 51 }, newId) }, '/confine/template_ids'],
    ['with an unknown template', { template_ids: [known, newId()] }, '/confine/template_ids/1'],
    ['with an unknown choice', { recipients: 'NOBODY' }, '/confine/recipients'],
    ['with an unknown member', { origin: shop }, '/confine/origin'],
    ...[
      'shop.example',
      `${shop}/`,
      'HTTPS://shop.example',
      `${shop}:443`,
      '*',
      'null',
      'ftp://shop.example',
    ].map((origin): [string, object, string] => [
      `with the origin ${origin}`,
      { origins: [shop, origin] },
      '/confine/origins/1',
    ]),
  ])('%s is refused, at creation and later', async (_, confine, pointer) => {
    const { projectId, owner } = await fixture.buildOwned();
    const { id } = await suite.buildKey(projectId, publicKey({}));
    const published = [
      await fixture.create(projectId, owner, { legacy_grant_preset: 'SENDING_ONLY', confine }),
      await suite.request('PATCH', `${pathOf(projectId)}/${id}`, { ...owner, body: { confine } }),
    ];
    for (const { status, json } of published) {
      const pointers = (json['errors'] as { pointer: string }[]).map((error) => error.pointer);
      expect([status, pointers]).toEqual([422, [pointer]]);
    }
  });

  it('belongs to public keys only', async () => {
    const { projectId, owner } = await fixture.buildOwned();
    const { id } = await suite.buildKey(projectId);
    const confine = { subscribe_only: true };
    const published = [
      await fixture.create(projectId, owner, { confine }),
      await suite.request('PATCH', `${pathOf(projectId)}/${id}`, { ...owner, body: { confine } }),
    ];
    for (const { status, json } of published)
      expect([status, json['errors']]).toEqual([
        422,
        [expect.objectContaining({ pointer: '/confine', code: 'not_allowed' })],
      ]);
    expect((await fixture.create(projectId, owner, { confine: null })).json['confine']).toBeNull();
  });

  it('cannot be lifted with the key itself, whose holder reads and changes no keys', async () => {
    const { token, id, projectId } = await build({ subscribeOnly: true });
    for (const key of [token, (await suite.buildKey(projectId, publicKey({}))).token]) {
      const one = `${pathOf(projectId)}/${id}`;
      const published = await Promise.all([
        suite.request('PATCH', one, { key, body: { confine: null } }),
        suite.request('POST', `${one}/rotate`, { key }),
        suite.request('POST', pathOf(projectId), { key, body: { name: 'More' } }),
        suite.request('GET', one, { key }),
      ]);
      expect(published.map(codeOf)).toEqual(published.map(() => [403, 'scope_missing']));
    }
  });
});
