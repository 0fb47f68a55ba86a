import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contactEvents, contacts } from '@posthorn/contracts';
import { borrowContactsSuite, type BorrowedContacts } from '../../testing/contacts-suite.js';

describe('ensuring contacts', () => {
  let suite: BorrowedContacts;
  beforeAll(async () => {
    suite = await borrowContactsSuite();
  });
  afterAll(() => suite.stop());

  it('returns ids in the order of the addresses, creates missing contacts and leaves existing ones unchanged', async () => {
    const { caller, projectId } = suite.buildProject();
    const known = await suite.bus.call(contacts.create, caller, {
      email: 'known@example.org',
      customFields: { plan: 'pro' },
    });
    const emails = ['z@example.org', 'known@example.org', 'a@example.org', 'z@example.org'];
    const first = await suite.bus.call(contacts.ensure, caller, { emails });
    expect(first.contacts.map(({ email }) => email)).toEqual(emails);
    expect(first.contacts[1]!.id).toBe(known.id);
    expect(first.contacts[3]!.id).toBe(first.contacts[0]!.id);
    expect(await suite.bus.call(contacts.get, caller, { id: known.id })).toEqual(known);
    expect(await suite.bus.call(contacts.get, caller, { id: first.contacts[0]!.id })).toMatchObject({
      subscribed: false,
      customFields: {},
    });
    expect(await suite.bus.call(contacts.ensure, caller, { emails })).toEqual(first);
    const created = await suite.eventsOf(projectId, contactEvents.created);
    expect(created.map(({ email, subscribed }) => [email, subscribed]).sort()).toEqual([
      ['a@example.org', false],
      ['known@example.org', true],
      ['z@example.org', false],
    ]);
  });

  it('handles several projects at once, each with its own contacts', async () => {
    const projects = Array.from({ length: 20 }, () => suite.buildProject());
    const answers = await Promise.all(
      projects.map(({ caller }) => suite.bus.call(contacts.ensure, caller, { emails: ['ann@example.org'] })),
    );
    expect(new Set(answers.map(({ contacts: [one] }) => one!.id)).size).toBe(20);
    for (const { projectId } of projects)
      expect(await suite.eventsOf(projectId, contactEvents.created)).toHaveLength(1);
  });

  it('creates one contact and one event from fifty concurrent calls with one address', async () => {
    const { caller, projectId } = suite.buildProject();
    const request = (index: number) =>
      index % 2 === 0
        ? suite.bus
            .call(contacts.ensure, caller, { emails: ['ann@example.org'] })
            .then(({ contacts: [one] }) => one!.id)
        : suite.bus.call(contacts.upsert, caller, { email: 'ann@example.org' }).then(({ id }) => id);
    const ids = await Promise.all(Array.from({ length: 50 }, (_, index) => request(index)));
    expect(new Set(ids).size).toBe(1);
    expect(await suite.eventsOf(projectId, contactEvents.created)).toHaveLength(1);
    expect((await suite.bus.call(contacts.list, caller, { withTotal: true })).total).toBe(1);
  });

  it('does not deadlock with overlapping batches in opposite orders, and returns the same ids', async () => {
    const { caller, projectId } = suite.buildProject();
    const emails = Array.from({ length: 50 }, (_, index) => `person${index}@example.org`);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        suite.bus.call(contacts.ensure, caller, { emails: index % 2 ? emails : emails.toReversed() }),
      ),
    );
    const ids = answers.map(({ contacts: all }) =>
      JSON.stringify(all.toSorted((a, b) => (a.email < b.email ? -1 : 1))),
    );
    expect(new Set(ids).size).toBe(1);
    expect(await suite.eventsOf(projectId, contactEvents.created)).toHaveLength(50);
  });

  it('gathers concurrent calls into far fewer commits', async () => {
    const { caller, projectId } = suite.buildProject();
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        suite.bus.call(contacts.ensure, caller, { emails: [`p${index}@example.org`] }),
      ),
    );
    const rows = await suite.database.query(`SELECT id FROM outbox WHERE project_id = $1`, [projectId]);
    expect(await suite.eventsOf(projectId, contactEvents.created)).toHaveLength(200);
    expect(rows.length).toBeLessThan(50);
  });

  it('fails only the call with an address that Postgres refuses', async () => {
    const { caller } = suite.buildProject();
    // Postgres accepts what the contract accepts, so a trigger refuses a row here.
    await suite.database.query(
      `ALTER TABLE contacts ADD CONSTRAINT no_poison CHECK (email <> 'poison@example.org')`,
    );
    const emails = Array.from({ length: 30 }, (_, index) =>
      index === 17 ? 'poison@example.org' : `good${index}@example.org`,
    );
    const outcomes = await Promise.allSettled(
      emails.map((email) => suite.bus.call(contacts.ensure, caller, { emails: [email] })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(29);
    expect((outcomes[17] as PromiseRejectedResult).reason).toMatchObject({ kind: 'invalid' });
  });
});

describe('the fields of contacts', () => {
  let suite: BorrowedContacts;
  beforeAll(async () => {
    suite = await borrowContactsSuite();
  });
  afterAll(() => suite.stop());

  it('are returned for contacts of the project', async () => {
    const { caller } = suite.buildProject();
    const ada = await suite.bus.call(contacts.create, caller, {
      email: 'ada@example.org',
      customFields: { plan: 'pro' },
    });
    const requested = { emails: ['nobody@example.org', 'ada@example.org'] };
    expect(await suite.bus.call(contacts.variables, caller, requested)).toEqual({
      contacts: [{ id: ada.id, email: 'ada@example.org', customFields: { plan: 'pro' } }],
    });
    expect(await suite.bus.call(contacts.variables, suite.buildProject().caller, requested)).toEqual({
      contacts: [],
    });
  });

  it('say which addresses are subscribed contacts of the project', async () => {
    const { caller } = suite.buildProject();
    await suite.bus.call(contacts.create, caller, { email: 'on@example.org' });
    await suite.bus.call(contacts.create, caller, { email: 'off@example.org', subscribed: false });
    const requested = { emails: ['on@example.org', 'off@example.org', 'nobody@example.org'] };
    expect(await suite.bus.call(contacts.subscribed, caller, requested)).toEqual({
      emails: ['on@example.org'],
    });
    expect(await suite.bus.call(contacts.subscribed, suite.buildProject().caller, requested)).toEqual({
      emails: [],
    });
  });
});
