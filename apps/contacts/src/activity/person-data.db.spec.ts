import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contacts, events, personData, segments, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { startContactsSuite, type ContactsSuite } from '../testing/contacts-suite.js';
import { listsGround } from '../testing/lists-ground.js';

let suite: ContactsSuite;
beforeAll(async () => {
  suite = await startContactsSuite();
});
afterAll(() => suite.stop());

const email = 'ada@example.org';
const dataOf = (caller: Caller, id: string) => suite.bus.call(personData.get, caller, { id });

async function buildContact(): Promise<{ caller: Caller; id: string }> {
  const { caller } = suite.buildProject();
  suite.mail.clear();
  return { caller, id: (await suite.bus.call(contacts.create, caller, { email, customFields: { plan: 'pro' } })).id };
}

describe('all data of a person', () => {
  it('is what every room and sending hold', async () => {
    const { caller, id } = await buildContact();
    const ground = listsGround(suite);
    const list = await ground.build(caller);
    await ground.subscribe(caller, list.id, { email });
    const segment = await suite.bus.call(segments.create, caller, { name: 'Pro', type: 'STATIC', trackMembership: true });
    await suite.bus.call(segments.addMembers, caller, { id: segment.id, emails: [email] });
    for (const name of ['signup', 'paid']) await suite.bus.call(events.record, caller, { name, contactId: id, payload: { seats: 3 } });
    expect(await dataOf(caller, id)).toMatchObject({
      contact: { id, email, customFields: { plan: 'pro' } },
      consents: [{ before: null, after: true }],
      memberships: [{ listId: list.id, listName: 'News', status: 'CONFIRMED' }],
      segments: [{ segmentId: segment.id, segmentName: 'Pro' }],
      history: [{ kind: 'segment.entered' }, { kind: 'list.confirmed' }],
      summaries: [
        { of: 'EVENT', name: 'paid', count: 1 },
        { of: 'EVENT', name: 'signup', count: 1 },
      ],
      events: [
        { name: 'paid', payload: { seats: 3 } },
        { name: 'signup', payload: { seats: 3 } },
      ],
      emails: [],
      suppression: { email, reason: 'MANUAL' },
      optOut: null,
      cut: [],
    });
    await expect(dataOf(suite.buildProject().caller, id)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('names the parts that have more', async () => {
    const { caller, id } = await buildContact();
    await suite.database.query(
      `INSERT INTO events (project_id, id, contact_id, name, payload, occurred_at) SELECT $1, uuidv7(), $2, 'n', '{}', now() FROM generate_series(1, 1001)`,
      [caller.projectId, id],
    );
    await suite.database.query(
      `INSERT INTO memberships (project_id, list_id, contact_id, id, status) SELECT $1, uuidv7(), $2, uuidv7(), 'CONFIRMED' FROM generate_series(1, 1001)`,
      [caller.projectId, id],
    );
    suite.mail.set(email, [
      { id: newId(), at: new Date(), kind: 'email.accepted', emailId: newId(), subject: '', detail: null, link: null },
    ]);
    const { events: shown, memberships, cut } = await dataOf(caller, id);
    expect([shown.length, memberships.length, cut]).toEqual([1_000, 1_000, ['emails', 'events', 'memberships']]);
  });

  it('shows no more events than their payloads allow', async () => {
    const { caller, id } = await buildContact();
    await suite.database.query(
      `INSERT INTO events (project_id, id, contact_id, name, payload, occurred_at)
       SELECT $1, uuidv7(), $2, 'n', jsonb_build_object('words', repeat('x', 60000)), now() FROM generate_series(1, 50)`,
      [caller.projectId, id],
    );
    const { events: shown, cut } = await dataOf(caller, id);
    expect([shown.length, cut]).toEqual([34, ['events']]);
  });
});
