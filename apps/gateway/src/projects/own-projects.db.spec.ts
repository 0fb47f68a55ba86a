import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectEvents, projects } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { operatorOf, startGatewaySuite, type GatewaySuite, type SignedIn } from '../testing/gateway-suite.js';

let suite: GatewaySuite;
beforeAll(async () => {
  suite = await startGatewaySuite();
});
afterAll(() => suite.stop());

const mine = '/api/v1/users/me/projects';
const create = (as: SignedIn, name: string, path = mine) =>
  suite.request('POST', path, { as, body: { name } });
const age = (userId: string, minutes: number) =>
  suite.database.query(
    `UPDATE projects SET created_at = created_at - make_interval(mins => $2) WHERE created_by = $1`,
    [userId, minutes],
  );

describe('creating a project', () => {
  it('makes the caller its owner and publishes both events', async () => {
    const person = await suite.buildUser();
    const { status, json } = await create(person, 'Mine');
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.any(String),
      name: 'Mine',
      disabled: false,
      region: 'us-east-1',
      tracking: 'ENABLED',
      language: 'en',
      time_zone: 'UTC',
      postal_address: null,
      frequency_cap: null,
      sandbox_address: expect.stringMatching(/^p-[0-9a-f]{12}@sandbox\.test$/),
      created_at: expect.any(String),
    });
    const id = json['id'] as string;
    expect(await suite.eventsOf(id, projectEvents.changed)).toMatchObject([{ id, name: 'Mine', seq: 1 }]);
    expect(await suite.eventsOf(id, projectEvents.memberAdded)).toMatchObject([
      { userId: person.userId, role: 'OWNER' },
    ]);
  });

  it('returns the bare row on the legacy surface', async () => {
    const { status, json } = await create(await suite.buildUser(), 'Old', '/api/users/me/projects');
    expect(status).toBe(201);
    expect(Object.keys(json).sort()).toEqual(
      [
        ...[
          'id',
          'name',
          'disabled',
          'disabledReason',
          'sandboxHandle',
          'paymentCustomerId',
          'paymentSubscriptionId',
        ],
        ...[
          'billingLimitWorkflows',
          'billingLimitCampaigns',
          'billingLimitTransactional',
          'billingLimitInbound',
        ],
        ...['tracking', 'providerRegion', 'language', 'organizationId', 'createdAt', 'updatedAt'],
      ].sort(),
    );
  });

  it('requires a verified address, a trusted origin and a session', async () => {
    const unverified = await create(await suite.buildUser({ verified: false }), 'No');
    expect([unverified.status, unverified.json['code']]).toEqual([403, 'scope_missing']);
    const person = await suite.buildUser();
    const elsewhere = await suite.request('POST', mine, {
      as: person,
      body: { name: 'No' },
      headers: { origin: 'https://elsewhere.example' },
    });
    expect([elsewhere.status, elsewhere.json['code']]).toEqual([403, 'scope_missing']);
    const { projectId } = await suite.buildProject();
    const { token } = await suite.buildKey(projectId);
    const byKey = await suite.request('POST', mine, { key: token, body: { name: 'No' } });
    expect([byKey.status, byKey.json['code']]).toEqual([401, 'invalid_session']);
    for (const body of [
      {},
      { name: '' },
      { name: 'x'.repeat(101) },
      { name: 'a\0b' },
      { name: 'x', disabled: true },
    ]) {
      expect((await suite.request('POST', mine, { as: person, body })).status).toBe(422);
    }
  });

  it('is limited to five an hour, also under concurrency', async () => {
    const person = await suite.buildUser();
    const published = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((count) => create(person, `P${count}`)));
    expect(published.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 429, 429, 429]);
    const refused = published.find(({ status }) => status === 429)!;
    expect(refused.json['code']).toBe('rate_limited');
    expect(refused.json['detail']).toMatch(
      /^A person may create at most 5 projects per hour; try again in \d+ seconds$/,
    );
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500);
    await age(person.userId, 61);
    expect((await create(person, 'Later')).status).toBe(201);
  });

  it('is limited to ten active projects; disabled ones do not count', async () => {
    const person = await suite.buildUser();
    const ids: string[] = [];
    for (let count = 0; count < 9; count += 1) {
      ids.push((await create(person, `P${count}`)).json['id'] as string);
      await age(person.userId, 61);
    }
    const last = await Promise.all([create(person, 'tenth'), create(person, 'eleventh')]);
    expect(last.map(({ status }) => status).sort()).toEqual([201, 409]);
    await suite.bus.call(projects.disable, operatorOf(ids[0]!), { id: ids[0]!, reason: 'MANUAL' });
    expect((await create(person, 'instead')).status).toBe(201);
  });
});

describe('the projects of a user', () => {
  it('are listed newest first, in pages, on both surfaces', async () => {
    const person = await suite.buildUser();
    for (const name of ['a', 'b', 'c']) await create(person, name);
    const first = await suite.request('GET', `${mine}?limit=2`, { as: person });
    expect(first.json).toMatchObject({ data: [{ name: 'c' }, { name: 'b' }], has_more: true });
    const second = await suite.request('GET', `${mine}?limit=2&after=${String(first.json['next_cursor'])}`, {
      as: person,
    });
    expect(second.json).toMatchObject({ data: [{ name: 'a' }], has_more: false, next_cursor: null });
    const legacy = await suite.request('GET', '/api/users/me/projects', { as: person });
    expect(legacy.json).toMatchObject({
      success: true,
      data: { items: [{ name: 'c' }, { name: 'b' }, { name: 'a' }], total: 3 },
    });
    expect((await suite.request('GET', mine, { as: await suite.buildUser() })).json).toMatchObject({
      data: [],
    });
  });
});

describe('a project', () => {
  it('can be read and changed by members and keys, with an event for each change', async () => {
    const { projectId } = await suite.buildProject();
    const owner = await suite.buildUser({ projectId });
    const { token } = await suite.buildKey(projectId);
    const path = `/api/v1/projects/${projectId}`;
    const times = { time_zone: 'Europe/Berlin', frequency_cap: { messages: 3, days: 7 } };
    const changed = await suite.request('PATCH', path, {
      as: owner,
      body: { name: 'Renamed', tracking: 'MARKETING_ONLY', language: 'de', ...times },
    });
    expect([changed.status, changed.json]).toMatchObject([
      200,
      { name: 'Renamed', tracking: 'MARKETING_ONLY', language: 'de', ...times },
    ]);
    expect((await suite.request('PATCH', path, { as: owner, body: times })).json).toEqual(changed.json);
    expect((await suite.request('PATCH', path, { key: token, body: {} })).json).toEqual(changed.json);
    expect(
      (
        await suite.request('GET', path.toUpperCase().replace('/API/V1/PROJECTS', '/api/v1/projects'), {
          key: token,
        })
      ).json,
    ).toEqual(changed.json);
    expect((await suite.request('GET', `/api/projects/${projectId}`, { as: owner })).json).toMatchObject({
      success: true,
      data: { id: projectId, name: 'Renamed' },
    });
    expect(
      (await suite.eventsOf(projectId, projectEvents.changed)).map(({ seq, name }) => [seq, name]),
    ).toEqual([
      [1, 'A project'],
      [2, 'Renamed'],
    ]);
    for (const body of [
      { tracking: 'SOMETIMES' },
      { name: null },
      { language: '../../etc' },
      { region: 'eu-west-1' },
      { seq: 9 },
      { time_zone: 'Mars/Olympus' },
      { language: 'xx' },
      { language: 'de-QQ' },
      { time_zone: '+02:00' },
      { frequency_cap: { messages: 0, days: 7 } },
      { frequency_cap: { messages: 1 } },
    ]) {
      expect((await suite.request('PATCH', path, { as: owner, body })).status).toBe(422);
    }
  });

  it('of another user gets exactly the response of an unknown one', async () => {
    const [own, other] = [await suite.buildProject(), await suite.buildProject()];
    const owner = await suite.buildUser({ projectId: own.projectId });
    const { token } = await suite.buildKey(own.projectId);
    for (const by of [{ as: owner }, { key: token }]) {
      const answers: unknown[] = [];
      for (const id of [other.projectId, newId(), 'no-id', '%00', `${own.projectId}x`]) {
        for (const [method, body] of [['GET'], ['PATCH', {}]] as const) {
          const path = `/api/v1/projects/${id}`;
          const { status, text } = await suite.request(method, path, { ...by, body });
          answers.push([status, text.replace(path, '').replace(/"request_id":"[^"]*"/, '')]);
        }
      }
      expect(answers).toEqual(answers.map(() => [403, expect.stringContaining('project_access_denied')]));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    }
  });

  it('that is disabled can be read but not changed, on both surfaces', async () => {
    const { projectId, caller } = await suite.buildProject();
    const owner = await suite.buildUser({ projectId });
    const { token } = await suite.buildKey(projectId);
    await suite.bus.call(projects.disable, caller, { id: projectId, reason: 'PHISHING_DETECTED' });
    for (const by of [{ as: owner, headers: { 'x-project-id': projectId } }, { key: token }]) {
      for (const prefix of ['/api/v1', '/api']) {
        expect((await suite.request('GET', `${prefix}/projects/${projectId}`, by)).status).toBe(200);
        const [write, send] = [
          await suite.request('PATCH', `${prefix}/projects/${projectId}`, { ...by, body: { name: 'x' } }),
          await suite.request('POST', `${prefix}/emails`, {
            ...by,
            body: { to: 'a@example.com', subject: 's', body: 'b' },
          }),
        ];
        for (const { status, text } of [write, send])
          expect([status, text.toLowerCase()]).toEqual([403, expect.stringContaining('project_disabled')]);
      }
    }
    await suite.bus.call(projects.enable, caller, { id: projectId });
    const again = async () =>
      (await suite.request('PATCH', `/api/v1/projects/${projectId}`, { as: owner, body: { name: 'x' } }))
        .status;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await again()).toBe(200);
  });
});
