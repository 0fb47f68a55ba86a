import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  consents,
  contactEvents,
  contacts,
  type BulkOutcome,
  type Caller,
  type CreateContact,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { borrowContactsSuite, type BorrowedContacts } from '../../testing/contacts-suite.js';
import { watchMarks } from '../../testing/segment-marks.js';
import { ContactCounts } from '../contact-counts.read-model.js';

let suite: BorrowedContacts;
beforeAll(async () => {
  suite = await borrowContactsSuite();
});
afterAll(() => suite.stop());

const bulk = (caller: Caller, rows: CreateContact[]): Promise<BulkOutcome> =>
  suite.bus.call(contacts.bulk, caller, { contacts: rows });
const all = async (caller: Caller) =>
  (await suite.bus.call(contacts.list, caller, { limit: 100, withTotal: true })).items;

describe('contacts in bulk', () => {
  it('are created and changed in one commit with one event, with a result for each row', async () => {
    const { caller, projectId } = suite.buildProject();
    const full = { big: 'x'.repeat(40_000) };
    await suite.bus.call(contacts.create, caller, {
      email: 'known@example.org',
      customFields: { a: 1, b: 2 },
    });
    await suite.bus.call(contacts.create, caller, { email: 'full@example.org', customFields: full });
    await suite.bus.call(contacts.create, caller, { email: 'same@example.org', customFields: { a: 1 } });
    const outcome = await bulk(caller, [
      { email: 'new@example.org', customFields: { gone: null, kept: [null] } },
      { email: 'known@example.org', customFields: { a: null, c: 3 } },
      { email: 'full@example.org', customFields: { more: 'y'.repeat(40_000) } },
      { email: 'same@example.org', subscribed: true, customFields: { a: 1 } },
      { email: 'other@example.org', subscribed: false },
      { email: 'new@example.org', customFields: { second: true } },
      { email: 'third@example.org', subscribed: true },
    ]);
    expect(outcome).toEqual({
      created: 3,
      updated: 1,
      skipped: 2,
      errors: [{ index: 2, reason: 'customFields must be at most 65536 bytes of JSON in all' }],
    });
    const found = new Map((await all(caller)).map((contact) => [contact.email, contact]));
    expect(found.get('new@example.org')).toMatchObject({
      subscribed: true,
      customFields: { kept: [null], second: true },
    });
    expect(found.get('known@example.org')).toMatchObject({ customFields: { b: 2, c: 3 } });
    expect(found.get('full@example.org')!.customFields).toEqual(full);
    expect(await suite.eventsOf(projectId, contactEvents.bulkCreated)).toMatchObject([
      { count: 3, source: 'BULK' },
    ]);
    expect(await suite.eventsOf(projectId, contactEvents.created)).toHaveLength(3);
    expect(await suite.eventsOf(projectId, contactEvents.updated)).toMatchObject([
      { email: 'known@example.org', seq: 2 },
    ]);
    const left = found.get('other@example.org')!;
    expect(suite.optOuts.filter((published) => published.projectId === projectId)).toEqual([
      { projectId, email: left.email, contactId: left.id, seq: 1 },
    ]);
  });

  it('do not deadlock with overlapping rows, and the counts equal a recount', async () => {
    const { caller, projectId } = suite.buildProject();
    const batch = (turn: number) =>
      Array.from({ length: 400 }, (_, index) => ({
        email: `p${(index * 7 + turn * 131) % 500}@example.org`,
        subscribed: (index + turn) % 3 !== 0,
        customFields: { turn },
      }));
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, turn) => bulk(caller, turn % 2 ? batch(turn) : batch(turn).reverse())),
    );
    expect(outcomes.flatMap(({ errors }) => errors)).toEqual([]);
    const [recount] = await suite.database.query<{ total: number }>(
      `SELECT count(*) AS total, count(*) FILTER (WHERE subscribed) AS subscribed FROM contacts WHERE project_id = $1`,
      [projectId],
    );
    expect(outcomes.reduce((sum, { created }) => sum + created, 0)).toBe(recount!.total);
    expect(await new ContactCounts(suite.database).of(projectId)).toEqual(recount);
    // The last consent of each contact is its state, and each consent is a change.
    const wrong = await suite.database.query(
      `SELECT email FROM contacts c JOIN LATERAL (
         SELECT after, before FROM consents WHERE project_id = $1 AND contact_id = c.id ORDER BY at DESC, id DESC LIMIT 1
       ) AS last ON true WHERE c.project_id = $1 AND (last.after <> c.subscribed OR last.before IS NOT DISTINCT FROM last.after)`,
      [projectId],
    );
    expect(wrong).toEqual([]);
    expect(
      (
        await suite.database.query(`SELECT DISTINCT contact_id FROM consents WHERE project_id = $1`, [
          projectId,
        ])
      ).length,
    ).toBe(recount!.total);
  });

  it('are deleted by id or address, never those of another project', async () => {
    const [{ caller, projectId }, theirs] = [suite.buildProject(), suite.buildProject()];
    const foreign = await suite.bus.call(contacts.create, theirs.caller, { email: 'a1@example.org' });
    await bulk(
      caller,
      [1, 2, 3, 4].map((n) => ({ email: `a${n}@example.org`, subscribed: n > 1 })),
    );
    const [first] = await all(caller);
    expect(
      await suite.bus.call(contacts.deleteMany, caller, { ids: [first!.id, first!.id, foreign.id, newId()] }),
    ).toEqual({ deleted: 1 });
    const emails = ['a1@example.org', 'A2@example.org', 'nobody@example.org'];
    expect(await suite.bus.call(contacts.deleteMany, caller, { emails })).toEqual({ deleted: 2 });
    expect((await all(caller)).length).toBe(1);
    expect((await suite.eventsOf(projectId, contactEvents.deleted)).length).toBe(3);
    expect(await new ContactCounts(suite.database).of(projectId)).toMatchObject({ total: 1 });
    expect(await all(theirs.caller)).toHaveLength(1);
    for (const body of [{}, { ids: [newId()], emails }]) {
      await expect(suite.bus.call(contacts.deleteMany, caller, body)).rejects.toMatchObject({
        kind: 'invalid',
      });
    }
  });
});

describe('a batch of writes', () => {
  it('does not fail because of a row that Postgres refuses', async () => {
    const { caller } = suite.buildProject();
    const upserts = Array.from({ length: 20 }, (_, index) =>
      suite.bus.call(contacts.upsert, caller, {
        email: `p${index}@example.org`,
        customFields: { a: index % 7 === 3 ? '\u0000' : 'fine' },
      }),
    );
    const outcomes = await Promise.allSettled(upserts);
    expect(outcomes.map(({ status }) => status)).toEqual(
      outcomes.map((_, index) => (index % 7 === 3 ? 'rejected' : 'fulfilled')),
    );
    expect(await all(caller)).toHaveLength(17);
  });

  it('changes fields with unusual names and fields whose JSON is longer in Postgres', async () => {
    const { caller } = suite.buildProject();
    const email = 'ö𝔸z@example.org';
    const huge = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`n${index}`, 1e300]));
    await suite.bus.call(contacts.upsert, caller, {
      email,
      customFields: { 'a"b\\c,{}': 1, NULL: 2, kept: 3 },
    });
    await suite.bus.call(contacts.upsert, caller, { email: '\uffeez@example.org' });
    const changed = await bulk(caller, [
      { email, customFields: { 'a"b\\c,{}': null, NULL: null, ...huge } },
      { email: '\uffeez@example.org', customFields: { second: 2 } },
    ]);
    expect(changed).toMatchObject({ updated: 2, errors: [] });
    const found = new Map((await all(caller)).map((contact) => [contact.email, contact.customFields]));
    expect(found.get(email)).toEqual({ kept: 3, ...huge });
    expect(found.get('\uffeez@example.org')).toEqual({ second: 2 });
  });

  it('marks changed contacts for evaluation, and no others', async () => {
    const { caller, projectId } = suite.buildProject();
    const marks = await watchMarks(suite.database, projectId);
    const { id } = await suite.bus.call(contacts.upsert, caller, { email: 'ann@example.org' });
    await suite.bus.call(contacts.upsert, caller, { email: 'ann@example.org', subscribed: true });
    expect(await marks()).toEqual([id]);
    await suite.bus.call(contacts.update, caller, { id, subscribed: false, customFieldsMode: 'MERGE' });
    await suite.bus.call(contacts.delete, caller, { id });
    expect(await marks()).toEqual([id, id, id]);
  });
});

describe('consents', () => {
  it('record who changed a subscription, how and from where, newest first', async () => {
    const { projectId } = suite.buildProject();
    const key: Caller = {
      projectId,
      actor: { kind: 'KEY', id: 'shop', name: 'Shop' },
      ipAddress: '203.0.113.9',
      userAgent: 'curl/8',
    };
    const person: Caller = { projectId, actor: { kind: 'USER', id: 'ada' } };
    const page: Caller = { projectId, actor: { kind: 'SERVICE', id: 'gateway' }, ipAddress: '198.51.100.1' };
    const { id } = await suite.bus.call(contacts.upsert, key, { email: 'ann@example.org' });
    await suite.bus.call(contacts.upsert, key, { email: 'ann@example.org', customFields: { plan: 'pro' } });
    await suite.bus.call(contacts.unsubscribe, page, { email: 'ann@example.org' });
    await suite.bus.call(contacts.update, person, { id, subscribed: true, customFieldsMode: 'MERGE' });
    await bulk(key, [{ email: 'ann@example.org', subscribed: false }]);
    const { items, total, hasMore, next } = await suite.bus.call(consents.list, key, {
      id,
      limit: 3,
      withTotal: true,
    });
    const fromKey = {
      actor: { kind: 'KEY', id: 'shop', name: 'Shop' },
      address: '203.0.113.9',
      userAgent: 'curl/8',
      text: null,
    };
    expect(items).toMatchObject([
      { contactId: id, before: true, after: false, source: 'BULK', ...fromKey },
      {
        before: false,
        after: true,
        source: 'DASHBOARD',
        actor: { kind: 'USER', id: 'ada', name: null },
        address: null,
        userAgent: null,
      },
      { before: true, after: false, source: 'UNSUBSCRIBE_PAGE', address: '198.51.100.1' },
    ]);
    expect([total, hasMore]).toEqual([4, true]);
    const rest = await suite.bus.call(consents.list, key, { id, after: next! });
    expect(rest.items).toMatchObject([{ before: null, after: true, source: 'API', ...fromKey }]);
    for (const outsider of [newId(), id]) {
      await expect(
        suite.bus.call(consents.list, suite.buildProject().caller, { id: outsider }),
      ).rejects.toMatchObject({
        kind: 'not_found',
      });
    }
  });
});

describe('a list of contacts', () => {
  it('can be filtered by the confirmed members of a list', async () => {
    const { caller, projectId } = suite.buildProject();
    const listId = newId();
    for (const status of ['CONFIRMED', 'PENDING', 'UNSUBSCRIBED'] as const) {
      const { id } = await suite.bus.call(contacts.upsert, caller, { email: `${status}@example.org` });
      await suite.database.query(
        `INSERT INTO memberships (project_id, list_id, contact_id, id, status) VALUES ($1, $2, $3, $4, $5)`,
        [projectId, listId, id, newId(), status],
      );
    }
    const { items, total } = await suite.bus.call(contacts.list, caller, { listId, withTotal: true });
    expect([items.map(({ email }) => email), total]).toEqual([['confirmed@example.org'], 1]);
    expect((await suite.bus.call(contacts.list, caller, { listId: newId() })).items).toEqual([]);
    expect((await suite.bus.call(contacts.list, suite.buildProject().caller, { listId })).items).toEqual([]);
  });
});
