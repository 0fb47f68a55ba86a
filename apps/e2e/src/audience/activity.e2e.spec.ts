import { describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { expectRefusal, prefixes, randomId, surfaces, withPosthorn } from '../testing/bad-input.js';

const suite = withPosthorn();
const to = 'ada@example.com';

/** Creates entries of both services, one after another. */
async function live(): Promise<string> {
  const { posthorn } = suite;
  const { id } = (await posthorn.post('/api/v1/contacts', { email: to })).body as { id: string };
  const send = async (subject: string) => {
    const { body } = await posthorn.post('/api/v1/emails', { to, subject, body: '<p>Hi</p>' });
    await eventually(
      async () => (await posthorn.get(`/api/v1/emails/${body.id}`)).body.status === 'DELIVERED',
      'it is delivered',
    );
  };
  await send('Welcome');
  const list = (await posthorn.post('/api/v1/lists', { name: 'News' })).body.id as string;
  await posthorn.post(`/api/v1/lists/${list}/subscribe`, { email: to });
  await posthorn.post('/api/v1/events', { name: 'signup', contact_id: id, payload: { plan: 'pro' } });
  await send('Thanks');
  const made = await posthorn.post('/api/v1/segments', {
    name: 'Pro',
    type: 'STATIC',
    track_membership: true,
  });
  await posthorn.post(`/api/v1/segments/${made.body.id}/members`, { emails: [to] });
  await posthorn.request('PATCH', `/api/v1/contacts/${id}`, { subscribed: false });
  return id;
}

interface Item {
  id: string;
  at: string;
  kind: string;
  data: Record<string, unknown>;
}

describe('the activity of a contact', () => {
  it('merges the entries of several services in one order, in pages without repeats or gaps', async () => {
    const { posthorn } = suite;
    const id = await live();
    const { status, body } = await posthorn.get(`/api/v1/contacts/${id}/activity?limit=100`);
    const whole = body.data as Item[];
    expect([status, body.has_more, body.next_cursor]).toEqual([200, false, null]);
    expect(whole.map(({ kind }) => kind)).toEqual([
      ...['contact.unsubscribed', 'segment.entered', 'email.delivered', 'email.accepted', 'event.recorded'],
      ...['list.confirmed', 'email.delivered', 'email.accepted', 'contact.subscribed'],
    ]);
    expect(whole[1]!.data).toEqual({ segment_id: expect.any(String), segment_name: 'Pro' });
    expect(whole[3]!.data).toEqual({ email_id: whole[3]!.id, subject: 'Thanks' });
    expect(whole[4]!.data).toEqual({
      event_name: 'signup',
      payload: { plan: 'pro' },
      occurred_at: expect.any(String),
    });
    for (const limit of [1, 2, 5]) {
      const paged: Item[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const next = await posthorn.get(
          `/api/v1/contacts/${id}/activity?limit=${limit}${cursor ? `&after=${cursor}` : ''}`,
        );
        paged.push(...(next.body.data as Item[]));
        cursor = next.body.next_cursor as string | null;
      }
      expect(paged).toEqual(whole);
    }
    const legacy = (await posthorn.get(`/api/contacts/${id}/activity?limit=5`)).body.data;
    expect(legacy).toMatchObject({ hasMore: true, total: null });
    expect(legacy.items.map((item: Item) => item.id)).toEqual(whole.slice(0, 5).map((item) => item.id));
    expect(legacy.items[4].data).toMatchObject({ eventName: 'signup', payload: { plan: 'pro' } });
    const rest = (await posthorn.get(`/api/contacts/${id}/activity?limit=5&cursor=${legacy.nextCursor}`)).body
      .data;
    expect(rest.items.map((item: Item) => item.id)).toEqual(whole.slice(5).map((item) => item.id));
  });

  it('is part of all data about the person', async () => {
    const { posthorn } = suite;
    const { id } = (await posthorn.get(`/api/v1/contacts?search=${to}`)).body.data[0] as { id: string };
    const { status, body } = await posthorn.get(`/api/v1/contacts/${id}/data`);
    expect([status, body.contact.email, body.suppression, body.opt_out.opted_out]).toEqual([
      200,
      to,
      null,
      true,
    ]);
    expect(
      body.emails.map(({ subject, history }: { subject: string; history: Item[] }) => [
        subject,
        history.map(({ kind }) => kind),
      ]),
    ).toEqual([
      ['Thanks', ['email.delivered', 'email.accepted']],
      ['Welcome', ['email.delivered', 'email.accepted']],
    ]);
    expect([body.memberships, body.segments, body.events, body.consents]).toMatchObject([
      [{ list_name: 'News', status: 'CONFIRMED' }],
      [{ segment_name: 'Pro' }],
      [{ name: 'signup', payload: { plan: 'pro' } }],
      [{ after: false }, { after: true }],
    ]);
    expect(body.history.map(({ kind }: Item) => kind)).toEqual(['segment.entered', 'list.confirmed']);
    const legacy = (await posthorn.get(`/api/contacts/${id}/data`)).body.data;
    expect(legacy).toMatchObject({
      optOut: { optedOut: true },
      memberships: [{ listName: 'News' }],
      summaries: expect.any(Array),
    });
    expect(legacy.contact.customFields).toEqual({});
  });

  it('includes all entries, however many, on both surfaces', async () => {
    const { posthorn } = suite;
    const { id } = (await posthorn.post('/api/v1/contacts', { email: 'busy@example.com' })).body as {
      id: string;
    };
    const recorded: string[] = [];
    for (let rounds = 0; rounds < 30; rounds += 1) {
      const calls = Array.from({ length: 50 }, () =>
        posthorn.post('/api/v1/events', { name: 'seen', contact_id: id }),
      );
      for (const { body } of await Promise.all(calls)) recorded.push(body.id as string);
    }
    const idsOf = (events: Item[]) => events.map((event) => event.id);
    const v1 = (await posthorn.get(`/api/v1/contacts/${id}/data`)).body;
    expect(idsOf(v1.events)).toEqual(recorded.sort().reverse());
    const { success, data } = (await posthorn.get(`/api/contacts/${id}/data`)).body;
    expect([success, idsOf(data.events).length, data.contact.id, data.summaries[0].count]).toEqual([
      true,
      1_500,
      id,
      1_500,
    ]);
  });

  it.each(surfaces)('of nobody is not found, on %s', async (surface) => {
    for (const path of ['activity', 'data'].map(
      (part) => `${prefixes[surface]}/contacts/${randomId}/${part}`,
    )) {
      const refusal = { status: 404, code: 'resource_not_found', detail: 'No such contact' };
      expectRefusal(await suite.posthorn.get(path), surface, path, refusal);
    }
  });
});
