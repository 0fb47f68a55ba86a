import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import {
  consents,
  contactEvents,
  contacts,
  erasingServices,
  events,
  lists,
  memberships,
  segments,
  topicChoices,
  topics,
  type Caller,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { ConfirmTokens } from '@posthorn/mail';
import { eventually, testSecret } from '@posthorn/testing';
import { erasureWork } from './pending-erasures.js';
import { startContactsSuite, type ContactsSuite } from '../testing/contacts-suite.js';
import { otherServices, startErasingServices, type ErasingServices } from '../testing/erasing-services.js';
import { erasuresFixture } from '../testing/erasures-fixture.js';
import { importsFixture } from '../testing/imports-fixture.js';
import { rowsHolding } from '../testing/rows-holding.js';

let suite: ContactsSuite;
let services: ErasingServices;
let fixture: ReturnType<typeof erasuresFixture>;
beforeAll(async () => {
  suite = await startContactsSuite();
  services = await startErasingServices(suite);
  fixture = erasuresFixture(suite);
});
afterAll(async () => {
  await services.stop(...otherServices);
  await suite.stop();
});
afterEach(() => {
  services.requested.length = 0;
});

const rowsOf = (table: string, projectId: string, column: string, id: string) =>
  suite.database.query(`SELECT * FROM ${table} WHERE project_id = $1 AND ${column} = $2`, [projectId, id]);

/** A person with data in every table. */
async function live(caller: Caller, email: string): Promise<string> {
  const { bus } = suite;
  const known = { ...caller, ipAddress: '203.0.113.7', userAgent: 'Firefox' };
  const { id } = await bus.call(contacts.create, known, { email, customFields: { also: `me: ${email}` } });
  const list = await bus.call(lists.create, caller, { name: `News ${newId()}` });
  await bus.call(memberships.subscribe, caller, { id: list.id, email });
  const segment = await bus.call(segments.create, caller, {
    name: `People ${newId()}`,
    type: 'STATIC',
    trackMembership: true,
  });
  await bus.call(segments.addMembers, caller, { id: segment.id, emails: [email] });
  const idempotency = { key: `signup ${email}`, operation: 'POST /events', bodyHash: 'a'.repeat(64) };
  await bus.call(events.record, caller, {
    name: 'signup',
    contactId: id,
    payload: { email: email.toUpperCase() },
  });
  await bus.call(events.record, caller, {
    name: 'paid',
    contactId: id,
    payload: { by: 'card of Ann' },
    idempotency,
  });
  await bus.call(events.record, caller, {
    name: 'told',
    contactId: id,
    payload: { by: email },
    idempotency: { ...idempotency, key: newId() },
  });
  const { key } = await bus.call(topics.create, caller, { key: `news-${newId()}`, name: 'News' });
  await bus.call(topicChoices.put, known, { id, topics: { [key]: true } });
  const condition = {
    logic: 'AND',
    groups: [{ filters: [{ field: 'email', operator: 'equals', value: email }] }],
  };
  await bus.call(segments.create, caller, { name: `Only ${newId()}`, type: 'DYNAMIC', condition });
  return id;
}

it('deleting a contact deletes all its data in one commit, except consents that only the address can identify', async () => {
  const { caller, projectId } = suite.buildProject();
  await services.stop('sending');
  const id = await live(caller, 'ann@example.org');
  const proven = await suite.bus.call(consents.list, caller, { id });
  expect(await suite.bus.call(contacts.delete, caller, { id })).toEqual({ id });
  for (const table of [
    'memberships',
    'topic_choices',
    'segment_members',
    'contact_history',
    'events',
    'event_summaries',
    'mail_summaries',
  ])
    expect(await rowsOf(table, projectId, 'contact_id', id)).toEqual([]);
  const stored = await rowsOf('consents', projectId, 'contact_id', id);
  expect(proven.items.map(({ topicId }) => topicId !== null)).toEqual([true, false]);
  expect(stored).toHaveLength(2);
  for (const { id: of } of proven.items)
    expect(stored).toContainEqual(
      expect.objectContaining({ id: of, after: true, address: null, user_agent: null }),
    );
  for (const consent of proven.items)
    expect(consent).toMatchObject({ address: '203.0.113.7', userAgent: 'Firefox' });
  const [tombstone] = await suite.database.query(
    `SELECT address_hash FROM tombstones WHERE project_id = $1`,
    [projectId],
  );
  expect((stored[0] as { address_hash: Buffer }).address_hash).toEqual(tombstone!['address_hash']);
  expect(await suite.eventsOf(projectId, contactEvents.deleted)).toEqual([
    { contactId: id, at: expect.any(String) },
  ]);
  expect(await fixture.report(caller, id)).toMatchObject({
    id,
    contactId: id,
    completedAt: null,
    createdAt: expect.any(Date),
  });
  await services.start('sending');
  const { services: done } = await fixture.completed(caller, id);
  expect(done).toEqual(erasingServices.map((service) => ({ service, completedAt: expect.any(Date) })));
  expect(await rowsHolding(suite.database, 'ann@example.org')).toEqual([]);
  expect(await rowsHolding(suite.database, 'card of ann')).toEqual([]);
  for (const service of otherServices)
    expect(services.requested).toContainEqual({
      service,
      projectId,
      erasureId: id,
      contactId: id,
      erasedAt: expect.any(Date),
      email: 'ann@example.org',
    });
});

it('rejected rows of imports are deleted with the person whom they contain, and no others', async () => {
  const { caller } = suite.buildProject();
  const imports = importsFixture(suite);
  const { id } = await suite.bus.call(contacts.create, caller, { email: 'cora@example.org' });
  const table =
    'email,subscribed,note\nCORA@example.org,perhaps,\nnobody,,"see <cora@example.org>"\ndora@example.org,perhaps,\n';
  const job = await imports.ended(caller, await imports.upload(caller, table));
  expect((await imports.errorsOf(caller, job)).map(({ cells }) => cells?.length)).toEqual([3, 3, 3]);
  await suite.bus.call(contacts.delete, caller, { id });
  await fixture.completed(caller, id);
  expect(await rowsHolding(suite.database, 'cora@example.org')).toEqual([]);
  const published = await imports.errorsOf(caller, job);
  expect(published.map(({ line, cells }) => [line, cells])).toEqual([
    [2, undefined],
    [3, undefined],
    [4, ['dora@example.org', 'perhaps', '']],
  ]);
});

it('the network address of a visitor is stored only in the consent, and deleted with the person', async () => {
  const { caller, projectId } = suite.buildProject();
  const address = '198.51.100.23';
  const page = {
    ...caller,
    actor: { kind: 'KEY', id: newId() } as const,
    isPublic: true as const,
    ipAddress: address,
    userAgent: 'Visiting/1',
  };
  const link = { projectId, actor: { kind: 'SERVICE', id: 'gateway' } as const, ipAddress: address };
  const list = await suite.bus.call(lists.create, caller, { name: 'News', doubleOptIn: true });
  const { confirmToken } = await suite.bus.call(memberships.subscribe, page, {
    id: list.id,
    email: 'eve@example.org',
  });
  const { membershipId, tokenHash } = new ConfirmTokens([testSecret]).read(confirmToken!)!;
  await suite.bus.call(memberships.confirm, link, { membershipId, tokenHash });
  await suite.bus.call(memberships.unsubscribe, page, { id: list.id, email: 'eve@example.org' });
  await suite.bus.call(contacts.unsubscribe, link, { email: 'eve@example.org' });
  expect(await rowsHolding(suite.database, address)).toEqual(['consents']);
  const server = { ...caller, actor: page.actor, ipAddress: '203.0.113.99' };
  const { id } = await suite.bus.call(contacts.upsert, server, {
    email: 'eve@example.org',
    customFields: { seen: true },
  });
  expect(await rowsHolding(suite.database, server.ipAddress)).toContain('outbox');
  await suite.bus.call(contacts.delete, caller, { id });
  await fixture.completed(caller, id);
  expect(await rowsHolding(suite.database, address)).toEqual([]);
  expect(await rowsHolding(suite.database, 'Visiting')).toEqual([]);
});

it('many contacts are deleted in one call, each with a report, and another project keeps its contacts', async () => {
  const [{ caller, projectId }, other] = [suite.buildProject(), suite.buildProject()];
  const emails = Array.from({ length: 300 }, (_, index) => `reader-${index}@example.org`);
  await suite.bus.call(contacts.bulk, caller, { contacts: emails.map((email) => ({ email })) });
  const theirs = await suite.bus.call(contacts.create, other.caller, { email: emails[0]! });
  expect(await suite.bus.call(contacts.deleteMany, caller, { emails })).toEqual({ deleted: 300 });
  await eventually(async () => {
    const [row] = await suite.database.query<{ open: number }>(
      `SELECT count(*) AS open FROM erasures WHERE project_id = $1 AND completed_at IS NULL`,
      [projectId],
    );
    return row!.open === 0;
  }, 'all are erased');
  const requested = services.requested
    .filter((each) => each.service === 'analytics')
    .map(({ email }) => email);
  expect(requested.sort()).toEqual([...emails].sort());
  expect(await suite.bus.call(contacts.get, other.caller, { id: theirs.id })).toMatchObject({
    email: emails[0],
  });
  const holding = await suite.database.query(
    `SELECT 1 FROM outbox WHERE project_id = $1 AND items::text LIKE '%reader-%'`,
    [projectId],
  );
  expect(holding).toEqual([]);
});

it('a report belongs to its project, and does not exist for contacts that were not erased', async () => {
  const { caller } = suite.buildProject();
  const { id } = await suite.bus.call(contacts.create, caller, { email: 'here@example.org' });
  await expect(fixture.report(caller, id)).rejects.toMatchObject({
    kind: 'not_found',
    message: 'No such erasure',
  });
  await suite.bus.call(contacts.delete, caller, { id });
  await fixture.completed(caller, id);
  await expect(fixture.report(suite.buildProject().caller, id)).rejects.toMatchObject({ kind: 'not_found' });
});

it('a service that is down is called until it answers, and the others once', async () => {
  const { caller } = suite.buildProject();
  await services.stop('workflows');
  const { id } = await suite.bus.call(contacts.create, caller, { email: 'bob@example.org' });
  await suite.bus.call(contacts.delete, caller, { id });
  const waiting = await eventually(async () => {
    const erasure = await fixture.report(caller, id);
    return erasure.services.filter(({ completedAt }) => completedAt === null).length === 1 && erasure;
  }, 'all but one are done');
  expect(waiting).toMatchObject({ completedAt: null });
  expect(waiting.services.find(({ completedAt }) => completedAt === null)).toEqual({
    service: 'workflows',
    completedAt: null,
  });
  await services.start('workflows');
  await fixture.completed(caller, id);
  expect(services.requested.map(({ service }) => service).sort()).toEqual([...otherServices].sort());
});

it('continues after a crash with the services that are not done', async () => {
  const { caller, projectId } = suite.buildProject();
  await services.stop('analytics');
  const { id } = await suite.bus.call(contacts.create, caller, { email: 'cy@example.org' });
  await suite.bus.call(contacts.delete, caller, { id });
  await eventually(async () => {
    const erasure = await fixture.report(caller, id);
    return erasure.services.filter(({ completedAt }) => completedAt === null).length === 1;
  }, 'all but one are done');
  const requested = services.requested.length;
  await suite.restart();
  services.left.set('analytics', 2);
  await services.start('analytics');
  await suite.queue.enqueue(erasureWork, [{ projectId, key: id }]);
  await fixture.completed(caller, id);
  expect(services.requested.slice(requested).map(({ service }) => service)).toEqual([
    'analytics',
    'analytics',
    'analytics',
  ]);
  const [row] = await suite.database.query(`SELECT sealed FROM erasures WHERE project_id = $1`, [projectId]);
  expect(row).toEqual({ sealed: null });
});
