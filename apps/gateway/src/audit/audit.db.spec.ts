import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  apiKeys,
  contactEvents,
  projects,
  suppressionEvents,
  type AuditEntry,
  type Caller,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { runAsCaller } from '@posthorn/messaging';
import { eventually, EventPublisher } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';
import { buildUser, join, signIn } from '../testing/people.js';
import { AuditEntriesRepository } from './audit-entries.repository.js';

let suite: GatewaySuite;
let contacts: EventPublisher;
let sending: EventPublisher;

beforeAll(async () => {
  suite = await startGatewaySuite();
  [contacts, sending] = await Promise.all([
    EventPublisher.start(suite.connection, 'contacts'),
    EventPublisher.start(suite.connection, 'sending'),
  ]);
});
afterAll(async () => {
  await Promise.all([contacts.stop(), sending.stop()]);
  await suite.stop();
});

interface Page {
  data: Record<string, unknown>[];
  has_more: boolean;
  next_cursor: string | null;
}

const page = async (key: string, query = ''): Promise<Page> => {
  const published = await suite.request('GET', `/api/v1/audit-log${query}`, { key });
  expect(published.status).toBe(200);
  return published.json as unknown as Page;
};
const actionsOf = async (key: string, query = '') =>
  (await page(key, query)).data.map(({ action }) => action);
const contact = (contactId = newId()) => ({
  contactId,
  email: 'a@example.test',
  subscribed: true,
  at: new Date(),
  seq: 1,
});

describe('a change of identity', () => {
  it('is audited with its actor and address in the same transaction', async () => {
    const { projectId } = await suite.buildProject();
    const caller: Caller = {
      projectId,
      actor: { kind: 'OPERATOR', id: 'grace', name: 'Grace' },
      ipAddress: '192.0.2.7',
    };
    const { token } = await suite.buildKey(projectId);
    const { id } = await suite.bus.call(apiKeys.create, caller, { name: 'Second' });
    await suite.bus.call(apiKeys.revoke, caller, { id });
    await suite.bus.call(apiKeys.revoke, caller, { id });
    await suite.bus.call(projects.disable, caller, { id: projectId, reason: 'MANUAL' });
    await suite.bus.call(projects.enable, caller, { id: projectId });
    const { data } = await page(token);
    const [enabled, disabled, revoked] = data;
    expect(data.map(({ action }) => action)).toEqual([
      'project.enabled',
      'project.disabled',
      'api_key.revoked',
      'api_key.created',
      'api_key.created',
      'project.created',
    ]);
    expect(revoked).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      actor: { kind: 'OPERATOR', id: 'grace', name: 'Grace' },
      address: '192.0.2.7',
      action: 'api_key.revoked',
      resource: { type: 'api_key', id },
      outcome: 'SUCCEEDED',
    });
    expect([enabled!['resource'], disabled!['resource']]).toEqual(
      [1, 2].map(() => ({ type: 'project', id: projectId })),
    );
  });

  it('that failed is not audited', async () => {
    const nowhere = newId();
    await expect(suite.buildKey(nowhere)).rejects.toMatchObject({ kind: 'not_found' });
    expect(
      await suite.database.query('SELECT 1 FROM audit_entries WHERE project_id = $1', [nowhere]),
    ).toEqual([]);
  });

  it('publishes its actor with its event', async () => {
    const { projectId } = await suite.buildProject();
    const [row] = await suite.database.query(`SELECT actor, ip_address FROM outbox WHERE project_id = $1`, [
      projectId,
    ]);
    expect(row).toEqual({ actor: { kind: 'OPERATOR', id: 'tests' }, ip_address: null });
  });
});

describe('a change of another service', () => {
  const entriesOf = (projectId: string) =>
    suite.database.query<{ action: string; resource_id: string; actor_name: string; address: string }>(
      `SELECT action, resource_id, actor_name, address FROM audit_entries WHERE project_id = $1 AND resource_type <> 'project' ORDER BY created_at, id`,
      [projectId],
    );

  it('is audited once, however often its event is delivered', async () => {
    const { projectId, caller } = await suite.buildProject();
    const key: Caller = {
      ...caller,
      actor: { kind: 'KEY', id: newId(), name: 'Shop' },
      ipAddress: '2001:db8::9',
    };
    const [one, two] = [contact(), contact()];
    await runAsCaller(key, () => contacts.publish(contactEvents.created, projectId, [one, two]));
    await runAsCaller(key, () =>
      contacts.publish(contactEvents.deleted, projectId, [{ contactId: one.contactId, at: new Date() }]),
    );
    await runAsCaller(key, () =>
      sending.publish(suppressionEvents.added, projectId, [
        { email: 'b@example.test', reason: 'MANUAL', at: new Date() },
      ]),
    );
    await eventually(async () => (await entriesOf(projectId)).length === 4, 'every change is audited');
    await contacts.repeatAll();
    await contacts.taken('gateway-audit-contacts-contact-created');
    await contacts.taken('gateway-audit-contacts-contact-deleted');
    const entries = await entriesOf(projectId);
    expect(entries.map(({ action, resource_id }) => `${action} ${resource_id}`).sort()).toEqual(
      [
        `contact.created ${one.contactId}`,
        `contact.created ${two.contactId}`,
        `contact.deleted ${one.contactId}`,
        'suppression.added b@example.test',
      ].sort(),
    );
    for (const { actor_name, address } of entries)
      expect([actor_name, address]).toEqual(['Shop', '2001:db8::9']);
  });

  it('that no caller requested is not audited', async () => {
    const { projectId, caller } = await suite.buildProject();
    await contacts.publish(contactEvents.created, projectId, [contact()]);
    await runAsCaller({ ...caller, actor: { kind: 'SERVICE', id: 'sending' } }, () =>
      contacts.publish(contactEvents.created, projectId, [contact()]),
    );
    await runAsCaller(caller, () => contacts.publish(contactEvents.updated, projectId, [contact()]));
    await eventually(async () => (await entriesOf(projectId)).length > 0, 'the last one is audited');
    await contacts.taken('gateway-audit-contacts-contact-created');
    expect((await entriesOf(projectId)).map(({ action }) => action)).toEqual(['contact.updated']);
  });
});

describe('the audit log', () => {
  it('is paged on both surfaces and filtered by actor, action and time', async () => {
    const { projectId, caller } = await suite.buildProject();
    const { token } = await suite.buildKey(projectId);
    const person = await buildUser(suite.database, { name: 'Ada' });
    await join(suite.database, projectId, person, 'ADMIN');
    const ada: Caller = { ...caller, actor: { kind: 'USER', id: person.userId, name: 'Ada' } };
    for (const name of ['One', 'Two']) await suite.bus.call(apiKeys.create, ada, { name });
    const first = await page(token, '?limit=3');
    const second = await page(token, `?limit=3&after=${first.next_cursor}`);
    expect([first.has_more, second.has_more, second.next_cursor]).toEqual([true, false, null]);
    expect(new Set([...first.data, ...second.data].map(({ id }) => id)).size).toBe(4);
    expect(await actionsOf(token, `?actor=${person.userId}`)).toEqual(['api_key.created', 'api_key.created']);
    expect(await actionsOf(token, '?action=project.created')).toEqual(['project.created']);
    expect(await actionsOf(token, `?actor=${person.userId}&action=project.created`)).toEqual([]);
    const at = String(first.data[1]!['at']);
    expect(await actionsOf(token, `?created_after=${at}`)).toHaveLength(1);
    expect(await actionsOf(token, `?created_before=${at}`)).toHaveLength(2);
    const legacy = await suite.request('GET', `/api/audit-log?limit=1&actor=${person.userId}`, {
      key: token,
    });
    expect(legacy.json).toMatchObject({
      success: true,
      data: { items: [{ actor: { name: 'Ada' } }], hasMore: true, total: 2 },
    });
  });

  it('is for owners and admins, and separate per project', async () => {
    const [mine, theirs] = [await suite.buildProject(), await suite.buildProject()];
    const statusFor = async (role: 'OWNER' | 'ADMIN' | 'MEMBER') => {
      const person = await buildUser(suite.database);
      await join(suite.database, mine.projectId, person, role);
      const cookie = await signIn(suite.database, person);
      const published = await suite.request('GET', '/api/v1/audit-log', {
        headers: { cookie, 'x-project-id': mine.projectId },
      });
      return [published.status, published.json['code']];
    };
    expect(await statusFor('OWNER')).toEqual([200, undefined]);
    expect(await statusFor('ADMIN')).toEqual([200, undefined]);
    expect(await statusFor('MEMBER')).toEqual([403, 'scope_missing']);
    const { token } = await suite.buildKey(mine.projectId);
    const ids = (await page(token)).data.map(({ resource }) => (resource as AuditEntry['resource']).id);
    expect(ids).not.toContain(theirs.projectId);
    expect((await suite.request('GET', '/api/v1/audit-log?actor=', { key: token })).status).toBe(422);
  });

  it('is read through its indexes among a hundred thousand entries', async () => {
    const { projectId } = await suite.buildProject();
    await suite.database.query(
      `INSERT INTO audit_entries (project_id, id, created_at, actor_kind, actor_id, action, resource_type, resource_id, outcome)
       SELECT $1, gen_random_uuid(), now() - make_interval(secs => n), 'KEY', 'key-' || n % 500, (ARRAY['contact.created', 'contact.updated', 'campaign.deleted'])[1 + n % 3],
         'contact', 'x', 'SUCCEEDED' FROM generate_series(1, 100000) AS n`,
      [projectId],
    );
    await suite.database.query('ANALYZE audit_entries');
    const entries = new AuditEntriesRepository(suite.database);
    const after = { at: new Date(Date.now() - 50_000_000), id: newId() };
    const lookups = [
      {},
      { after },
      { actor: 'key-7' },
      { actor: 'key-7', after },
      { action: 'campaign.deleted', after },
      { actor: 'key-7', action: 'contact.updated' },
      { createdAfter: new Date(Date.now() - 90_000_000), createdBefore: after.at },
      { actor: 'nobody' },
    ];
    for (const query of lookups) {
      const { sql, parameters } = entries.pageStatement(projectId, query);
      const plan = await suite.database.query<{ 'QUERY PLAN': [{ Plan: Record<string, unknown> }] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`,
        parameters,
      );
      const [{ Plan: tree }] = plan[0]!['QUERY PLAN'];
      expect(JSON.stringify(tree)).toMatch(/"Index Scan"/);
      expect(JSON.stringify(tree)).not.toMatch(/Seq Scan|"Sort"|Bitmap/);
      const pages = Number(tree['Shared Hit Blocks']) + Number(tree['Shared Read Blocks']);
      expect([query, pages, pages > 0 && pages < 300]).toEqual([query, pages, true]);
    }
    expect(await entries.count(projectId, {})).toBe(10_001);
  });
});
