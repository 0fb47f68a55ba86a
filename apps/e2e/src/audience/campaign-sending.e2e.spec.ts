import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { expectRefusal, withPosthorn } from '../testing/bad-input.js';
import { inboxMessages, rawMessage } from '../testing/inbox.js';
import type { Answer } from '../testing/running-posthorn.js';

const suite = withPosthorn();
const post = (path: string, body?: unknown, headers?: Record<string, string>) =>
  suite.posthorn.post(`/api/v1/${path}`, body, headers);
const get = (path: string) => suite.posthorn.get(`/api/v1/${path}`);
const done = async (answer: Promise<Answer>) => {
  const { status, text, body } = await answer;
  if (status >= 300) throw new Error(text);
  return body;
};
let groups = 0;

/** A segment of its own for each test: people of other tests are not in its audience. */
async function groupOf(people: readonly { email: string; subscribed?: boolean; data?: object }[]) {
  const segment = await done(post('segments', { name: `Readers ${(groups += 1)}`, type: 'STATIC' }));
  await done(
    post('contacts/bulk', {
      contacts: people.map(({ email, subscribed = true, data = {} }) => ({
        email,
        subscribed,
        custom_fields: data,
      })),
    }),
  );
  await done(post(`segments/${segment.id}/members`, { emails: people.map(({ email }) => email) }));
  return segment.id as string;
}

const draft = (more: object) =>
  done(
    post('campaigns', {
      name: 'Spring',
      subject: 'Hello {{ first_name }}',
      body: '<p>News for {{ first_name }}: <a href="https://example.org/new">read</a></p>',
      from: 'news@example.test',
      ...more,
    }),
  );
const status = async (id: string) => (await done(get(`campaigns/${id}`))).status as string;
const sent = (id: string) => eventually(async () => (await status(id)) === 'SENT', 'the campaign is sent');
const handedOff = () =>
  eventually(
    async () => (await done(get('emails?status=SENDING'))).data.length === 0,
    'what was in hand-off has arrived',
  );
const addressesOf = async (subject: RegExp) =>
  (await inboxMessages(suite.posthorn))
    .filter((message) => subject.test(message.subject))
    .flatMap(({ envelope }) => envelope.to)
    .sort();

describe('a campaign', () => {
  it('reaches everybody of its audience once, and says who did not get it and why', async () => {
    const people = Array.from({ length: 40 }, (_, index) => ({
      email: `reader${index}@example.org`,
      data: { first_name: `Reader${index}` },
    }));
    const segment_id = await groupOf([
      ...people,
      { email: 'gone@example.org', subscribed: false },
      { email: 'blocked@example.org' },
      { email: 'staff@example.org' },
    ]);
    await done(post('suppressions', { email: 'blocked@example.org' }));
    const staff = await done(post('lists', { name: 'Staff' }));
    await done(post(`lists/${staff.id}/subscribe`, { email: 'staff@example.org' }));
    const { id } = await draft({ audience_type: 'SEGMENT', segment_id, exclude_list_ids: [staff.id] });
    const answer = await post(`campaigns/${id}/send`);
    expect([answer.status, answer.body]).toEqual([
      202,
      expect.objectContaining({ id, status: 'SENDING', paused_reason: null }),
    ]);
    await sent(id);
    const campaign = await eventually(async () => {
      const found = await done(get(`campaigns/${id}`));
      return found.stats.delivered >= 40 && found;
    }, 'every delivery is counted');
    expect(campaign.stats).toEqual({
      total_recipients: 43,
      sent: 40,
      delivered: 40,
      opened: 0,
      clicked: 0,
      bounced: 0,
      failed: 0,
    });
    expect(await addressesOf(/^Hello Reader/)).toEqual(people.map(({ email }) => email).sort());
    const stats = await done(get(`campaigns/${id}/stats`));
    expect(stats).toMatchObject({ sent: 40, skipped: 3, delivery_rate: 100, open_rate: 0 });
    const skipped = await done(get(`campaigns/${id}/recipients?outcome=SKIPPED`));
    expect(
      skipped.data.map(({ email, reason }: Record<string, string>) => `${email} ${reason}`).sort(),
    ).toEqual([
      'blocked@example.org suppressed',
      'gone@example.org unsubscribed',
      'staff@example.org excluded',
    ]);
    const [one] = (await done(get(`campaigns/${id}/recipients?outcome=SENT&limit=1`))).data;
    const email = await done(get(`emails/${one.email_id}`));
    expect(email).toMatchObject({ to: one.email, campaign_id: id, status: 'DELIVERED' });
    expect((await done(get(`campaigns/${id}/failures`))).data).toEqual([]);
    const legacy = (query: string) => done(suite.posthorn.get(`/api/campaigns/${id}/recipients?${query}`));
    for (const [query, total] of [
      ['', 43],
      ['outcome=SENT', 40],
      ['outcome=SKIPPED', 3],
      ['outcome=FAILED', 0],
      ['reason=suppressed', 1],
    ] as const)
      expect([query, (await legacy(query)).data.total]).toEqual([query, total]);
    const other = await draft({ audience_type: 'SEGMENT', segment_id });
    const page = await done(get(`campaigns/${id}/recipients?limit=1`));
    for (const [path, status] of [
      [`campaigns/${id}/recipients?limit=1`, 200],
      [`campaigns/${other.id}/recipients?limit=1`, 422],
      [`campaigns/${id}/recipients?limit=1&outcome=SENT`, 422],
      [`campaigns/${id}/failures?limit=1`, 422],
    ] as const)
      expect([path, (await get(`${path}&after=${page.next_cursor}`)).status]).toEqual([path, status]);
  });

  it('is refused without recipients, without content, from a foreign domain, and twice', async () => {
    const empty = await draft({
      audience_type: 'SEGMENT',
      segment_id: await groupOf([{ email: 'no@example.org', subscribed: false }]),
    });
    const path = `/api/v1/campaigns/${empty.id}/send`;
    expectRefusal(await post(`campaigns/${empty.id}/send`), 'v1', path, {
      status: 422,
      errors: [['/audience_type', 'not_allowed']],
    });
    const bare = await done(post('campaigns', { name: 'Bare', audience_type: 'ALL' }));
    expectRefusal(await post(`campaigns/${bare.id}/send`), 'v1', `/api/v1/campaigns/${bare.id}/send`, {
      status: 422,
      errors: [
        ['/body', 'required'],
        ['/subject', 'required'],
      ],
    });
    const segment_id = await groupOf([{ email: 'twice@example.org' }]);
    const { id } = await draft({ audience_type: 'SEGMENT', segment_id });
    const keyed = { 'idempotency-key': 'spring' };
    const first = await post(`campaigns/${id}/send`, undefined, keyed);
    expect((await post(`campaigns/${id}/send`, undefined, keyed)).text).toBe(first.text);
    expect((await post(`campaigns/${id}/send`)).status).toBe(409);
    await sent(id);
    expect(await addressesOf(/^Hello $/)).toEqual(['twice@example.org']);
  });

  it('waits while it is paused, goes on when it is resumed, and ends for the rest when it is cancelled', async () => {
    const people = Array.from({ length: 30 }, (_, index) => ({ email: `slow${index}@example.org` }));
    const segment_id = await groupOf(people);
    const { id } = await draft({ audience_type: 'SEGMENT', segment_id, subject: 'Slow', send_rate: 60 });
    await done(post(`campaigns/${id}/send`));
    await eventually(async () => (await addressesOf(/^Slow$/)).length >= 2, 'some are sent');
    const paused = await done(post(`campaigns/${id}/pause`));
    expect(paused).toMatchObject({ status: 'PAUSED', paused_reason: 'OPERATOR' });
    await handedOff();
    const before = (await addressesOf(/^Slow$/)).length;
    expect((await post(`campaigns/${id}/pause`)).status).toBe(409);
    await new Promise((later) => setTimeout(later, 2_500));
    expect((await addressesOf(/^Slow$/)).length).toBe(before);
    expect(await done(post(`campaigns/${id}/resume`))).toMatchObject({
      status: 'SENDING',
      paused_reason: null,
    });
    await eventually(async () => (await addressesOf(/^Slow$/)).length > before, 'it goes on');
    expect(await done(post(`campaigns/${id}/cancel`))).toMatchObject({ status: 'CANCELLED' });
    await handedOff();
    const after = (await addressesOf(/^Slow$/)).length;
    expect((await post(`campaigns/${id}/cancel`)).status).toBe(409);
    const stats = await eventually(async () => {
      const counts = await done(get(`campaigns/${id}/stats`));
      return counts.sent + counts.skipped === 30 && counts;
    }, 'everybody has an outcome');
    expect(stats).toMatchObject({ total_recipients: 30, sent: after, failed: 0 });
    const cancelled = await done(get(`campaigns/${id}/recipients?reason=cancelled&limit=100`));
    expect(cancelled.data).toHaveLength(30 - after);
  });
});

describe('a campaign that was sent', () => {
  it('is published without what is personal, until it is withdrawn', async () => {
    const segment_id = await groupOf([{ email: 'public@example.org', data: { first_name: 'Ada' } }]);
    const body =
      '<mjml><mj-body><mj-section><mj-column><mj-text>Dear {{ first_name }}. <a href="{{ unsubscribe_url }}">Leave</a></mj-text></mj-column></mj-section></mj-body></mjml>';
    const { id } = await draft({ audience_type: 'SEGMENT', segment_id, subject: 'Public', body });
    expect((await post(`campaigns/${id}/archive`)).status).toBe(409);
    await done(post(`campaigns/${id}/send`));
    await sent(id);
    const [message] = (await inboxMessages(suite.posthorn)).filter(({ subject }) => subject === 'Public');
    expect(await rawMessage(suite.posthorn, message!.id)).toMatch(/<table[\s\S]*Dear Ada\./);
    const { url } = await done(post(`campaigns/${id}/archive`));
    expect(await done(post(`campaigns/${id}/archive`))).toEqual({ id, url });
    const { pathname } = new URL(url);
    const page = await fetch(`${suite.posthorn.dev.baseUrl}${pathname}`);
    expect([page.status, page.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringMatching(/^sandbox /),
    ]);
    const shown = await page.text();
    expect(shown).toMatch(
      /^<!doctype html>[\s\S]*<title>Public<\/title>[\s\S]*name="viewport"[\s\S]*<table[\s\S]*Dear \./i,
    );
    const [, leave] = /href="([^"]+)"[^>]*>Leave/.exec(shown)!;
    const explained = await fetch(`${suite.posthorn.dev.baseUrl}${new URL(leave!).pathname}`);
    expect([explained.status, await explained.text()]).toEqual([
      200,
      expect.stringContaining('your own e-mail'),
    ]);
    expect(await done(suite.posthorn.request('DELETE', `/api/v1/campaigns/${id}/archive`))).toEqual({
      id,
      deleted: true,
    });
    for (const path of [pathname, `${pathname.slice(0, -1)}x`, '/a/x/y'])
      expect((await fetch(`${suite.posthorn.dev.baseUrl}${path}`)).status).toBe(404);
  });

  it('is not sent to who has had enough marketing mail', async () => {
    const segment_id = await groupOf([{ email: 'enough@example.org' }]);
    const project = `/api/v1/projects/${suite.posthorn.dev.projectId}`;
    await done(suite.posthorn.request('PATCH', project, { frequency_cap: { messages: 1, days: 7 } }));
    let campaigns = 0;
    // The first ones may leave before sending knows of the limit.
    const row = await eventually(async () => {
      const { id } = await draft({
        audience_type: 'SEGMENT',
        segment_id,
        subject: `Often ${(campaigns += 1)}`,
      });
      await done(post(`campaigns/${id}/send`));
      await sent(id);
      const [found] = (await done(get(`campaigns/${id}/recipients`))).data;
      return found.outcome === 'SKIPPED' && found;
    }, 'a campaign skips him');
    await done(suite.posthorn.request('PATCH', project, { frequency_cap: null }));
    expect(row.reason).toBe('frequency_cap');
    const explained = await done(get(`emails/${row.email_id}/explain`));
    expect(JSON.stringify(explained)).toContain('as much marketing mail as the project allows');
    expect(await addressesOf(/^Often/)).toHaveLength(campaigns - 1);
  });
});

describe('a scheduled campaign', () => {
  it('leaves at its time, and not before', async () => {
    const segment_id = await groupOf([{ email: 'later@example.org' }]);
    const { id } = await draft({ audience_type: 'SEGMENT', segment_id, subject: 'Later' });
    const past = await post(`campaigns/${id}/send`, { scheduled_for: '2020-01-01T00:00:00Z' });
    expectRefusal(past, 'v1', `/api/v1/campaigns/${id}/send`, {
      status: 422,
      errors: [['/scheduled_for', 'out_of_range']],
    });
    const at = new Date(Date.now() + 8_000).toISOString();
    expect(await done(post(`campaigns/${id}/send`, { scheduled_for: at }))).toMatchObject({
      status: 'SCHEDULED',
      scheduled_at: at,
    });
    await sent(id);
    const { sent_at } = await done(get(`campaigns/${id}`));
    expect(sent_at >= at).toBe(true);
    expect(await addressesOf(/^Later$/)).toEqual(['later@example.org']);
  });

  it('can be cancelled, and then never leaves', async () => {
    const segment_id = await groupOf([{ email: 'never@example.org' }]);
    const { id } = await draft({ audience_type: 'SEGMENT', segment_id, subject: 'Never' });
    const { id: next } = await draft({ audience_type: 'SEGMENT', segment_id, subject: 'Next' });
    const soon = () => ({ scheduled_for: new Date(Date.now() + 8_000).toISOString() });
    await done(post(`campaigns/${id}/send`, soon()));
    await done(post(`campaigns/${id}/cancel`));
    await done(post(`campaigns/${next}/send`, soon()));
    await sent(next);
    expect([await status(id), await addressesOf(/^Never$/)]).toEqual(['CANCELLED', []]);
  });
});

describe('the audience of a campaign', () => {
  beforeAll(() =>
    groupOf([
      { email: 'gold@example.org', data: { plan: 'gold' } },
      { email: 'free@example.org', data: { plan: 'free' } },
    ]),
  );

  it('can be a condition', async () => {
    const { id } = await draft({
      audience_type: 'FILTERED',
      audience_condition: {
        logic: 'AND',
        groups: [{ filters: [{ field: 'customFields.plan', operator: 'equals', value: 'gold' }] }],
      },
      subject: 'Gold',
    });
    await done(post(`campaigns/${id}/send`));
    await sent(id);
    expect(await addressesOf(/^Gold$/)).toEqual(['gold@example.org']);
  });

  it('is refused where its condition has faults', async () => {
    const answer = await post('campaigns', {
      name: 'Odd',
      audience_type: 'FILTERED',
      audience_condition: { logic: 'AND', groups: [{ filters: [{ field: 'plan', operator: 'is' }] }] },
    });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([
      422,
      '/audience_condition/groups/0/filters/0/field',
    ]);
  });
});
