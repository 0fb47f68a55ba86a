import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import PostalMime from 'postal-mime';
import {
  expectRefusal,
  prefixes,
  randomId,
  surfaces,
  withPosthorn,
  type Surface,
} from '../testing/bad-input.js';
import { inboxMessages, rawMessage } from '../testing/inbox.js';

type Row = Record<string, number | string | null>;

const suite = withPosthorn();
const done = async (method: string, path: string, body?: object) => {
  const answer = await suite.posthorn.request(method, `/api/v1/${path}`, body);
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body;
};
const onSurface = async (surface: Surface, path: string) => {
  const { status, text, body } = await suite.posthorn.get(`${prefixes[surface]}/${path}`);
  if (status !== 200) throw new Error(text);
  return surface === 'v1' ? body : body.data;
};
const csv = async (path: string, surface: Surface = 'v1') => {
  const { dev } = suite.posthorn;
  const answer = await fetch(`${dev.baseUrl}${prefixes[surface]}/${path}`, {
    headers: { authorization: `Bearer ${dev.secretKey}`, accept: 'text/csv' },
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  return (await answer.text()).trimEnd().split('\r\n');
};
const report = async (query: string) => done('GET', `analytics/emails?${query}`);
const rowOf = (rows: Row[], key: string): Row => rows.find((row) => row['key'] === key)!;
const reader = { 'user-agent': 'Mozilla/5.0 (X11; Linux x64) Chrome/140.0.0.0 Safari/537.36' };
const today = () => new Date().toISOString().slice(0, 10);

const addresses = ['a@gmail.com', 'b@gmail.com', 'c@hotmail.com', 'd@example.org'];
let templateId: string;
beforeAll(async () => {
  const template = { name: 'Receipt', subject: 'Receipt', body: '<p>Thanks</p>', from: 'shop@example.test' };
  ({ id: templateId } = await done('POST', 'templates', template));
  for (const to of addresses.slice(0, 3))
    await done('POST', 'emails', { to, subject: 'Hello', body: '<p>Hello</p>', tags: ['welcome'] });
  await done('POST', 'emails', { to: addresses[3], template: templateId });
  await eventually(async () => (await report('group_by=day')).totals.delivered >= 4, 'all is counted');
});

describe('a report of e-mails', () => {
  it.each(surfaces)(
    'is the same by destination, domain, category, tag and template on %s',
    async (surface) => {
      const [groupBy, template] = surface === 'v1' ? ['group_by', 'template_id'] : ['groupBy', 'templateId'];
      const of = (query: string) => onSurface(surface, `analytics/emails?${query}`);
      const destinations = await of(`${groupBy}=destination`);
      expect(destinations.data.map(({ key, sent, delivered }: Row) => [key, sent, delivered])).toEqual([
        ['gmail', 2, 2],
        ['other', 1, 1],
        ['outlook', 1, 1],
      ]);
      const rate = surface === 'v1' ? 'delivery_rate' : 'deliveryRate';
      expect(destinations.totals).toMatchObject({ sent: 4, delivered: 4, opened: 0, [rate]: 100 });
      expect(rowOf((await of(`${groupBy}=domain`)).data, 'example.test')).toMatchObject({ sent: 4 });
      expect(rowOf((await of(`${groupBy}=category`)).data, 'TRANSACTIONAL')).toMatchObject({ sent: 4 });
      expect(rowOf((await of(`${groupBy}=template`)).data, templateId)).toMatchObject({ sent: 1 });
      expect((await of(`${groupBy}=day&tag=welcome`)).totals).toMatchObject({ sent: 3 });
      expect((await of(`${groupBy}=hour&${template}=${templateId}`)).totals).toMatchObject({ sent: 1 });
      expect((await of(`${groupBy}=destination&domain=example.test&limit=1`)).data).toHaveLength(1);
    },
  );

  it.each(surfaces)('stands beside the window before on %s', async (surface) => {
    const [from, to, group] =
      surface === 'v1' ? ['from', 'to', 'group_by'] : ['startDate', 'endDate', 'groupBy'];
    const range = `${from}=${today()}&${to}=${today()}`;
    const { data, previous } = await onSurface(
      surface,
      `analytics/emails?${range}&${group}=day&compare=previous`,
    );
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ key: today(), sent: 4, previous: { sent: 0, delivered: 0 } });
    expect(previous.totals.sent).toBe(0);
    expect(Date.parse(previous.window.to)).toBe(Date.parse(`${today()}T00:00:00Z`) - 1);
  });

  it('is limited to the days that are kept, and says so', async () => {
    const { window, data } = await report('from=2016-01-01&to=2026-01-01');
    expect(data).toHaveLength(400);
    expect(window).toEqual({ from: '2024-11-28T00:00:00.000Z', to: '2026-01-01T23:59:59.999Z' });
    const hours = await report(`group_by=hour&from=2016-01-01`);
    expect(hours.data).toHaveLength(720);
  });

  it.each(surfaces)('is a table on %s', async (surface) => {
    const group = surface === 'v1' ? 'group_by' : 'groupBy';
    const [header, first] = await csv(`analytics/emails?${group}=destination&compare=previous`, surface);
    expect(header).toMatch(/^key,previous_sent,.*,sent,delivered,.*,raw_opens,raw_clicks,/);
    expect(first).toMatch(/^gmail,0,/);
    expect((await csv('analytics/timeseries', surface))[0]).toBe(
      'date,emails,delivered,opens,clicks,bounces',
    );
    expect(await csv('analytics/campaigns', surface)).toHaveLength(2);
    expect((await csv('analytics/top-campaigns', surface))[0]).toMatch(/^id,subject,sent,/);
  });
});

describe('the report of a campaign', () => {
  it('has its funnel, hours, links, destinations and variants, people beside machines', async () => {
    const segment = await done('POST', 'segments', { name: 'Readers', type: 'STATIC' });
    const emails = ['eva@gmail.com', 'max@example.org'];
    await done('POST', 'contacts/bulk', { contacts: emails.map((email) => ({ email, subscribed: true })) });
    await done('POST', `segments/${segment.id}/members`, { emails });
    const { id } = await done('POST', 'campaigns', {
      name: 'Spring',
      subject: 'Spring is here',
      body: '<p><a href="https://shop.example/=spring">Shop</a></p>',
      from: 'news@example.test',
      audience_type: 'SEGMENT',
      segment_id: segment.id,
    });
    await done('POST', `campaigns/${id}/send`);
    await eventually(
      async () => (await done('GET', `analytics/campaigns/${id}`)).mail.delivered === 2,
      'both are delivered',
    );
    const link = await linkOf('Spring is here');
    await fetch(link, { headers: { 'user-agent': 'curl/8.5.0' }, redirect: 'manual' });
    const insight = await eventually(async () => {
      // Requests within two seconds of the delivery come from scanners.
      await fetch(link, { headers: reader, redirect: 'manual' });
      const found = await done('GET', `analytics/campaigns/${id}`);
      return found.mail.clicked === 1 && found.funnel.clicked === 1 && found;
    }, 'the click is counted');
    expect(insight.funnel).toMatchObject({
      total_recipients: 2,
      sent: 2,
      delivered: 2,
      clicked: 1,
      skipped: 0,
    });
    expect(insight.mail.raw_clicks).toBeGreaterThan(insight.mail.clicks);
    expect(insight.links).toMatchObject([{ key: 'https://shop.example/=spring', clicked: 1 }]);
    expect(insight.destinations.map(({ key, sent }: Row) => [key, sent]).sort()).toEqual([
      ['gmail', 1],
      ['other', 1],
    ]);
    expect(insight.hours.reduce((sum: number, { sent }: { sent: number }) => sum + sent, 0)).toBe(2);
    expect(insight).toMatchObject({ id, variants: [], winner: null, decided_by: null });
    const legacy = await onSurface('legacy', `analytics/campaigns/${id}`);
    expect(legacy).toMatchObject({ id, funnel: { totalRecipients: 2 }, mail: { sent: 2 }, decidedBy: null });
    const table = await csv(`analytics/campaigns/${id}`);
    expect(table[0]).toMatch(/^section,key,sent,/);
    expect(table.map((line) => line.split(',')[0])).toEqual(
      expect.arrayContaining(['total', 'hour', 'link', 'destination']),
    );
    const linked = await report(`group_by=link&campaign_id=${id}`);
    expect(linked.data).toMatchObject([{ key: 'https://shop.example/=spring', clicked: 1 }]);
    expect(rowOf((await report('group_by=campaign')).data, id)).toMatchObject({ sent: 2, clicked: 1 });
  });
});

/** A tracked link of the message with this subject. */
async function linkOf(subject: string): Promise<string> {
  const message = await eventually(
    async () => (await inboxMessages(suite.posthorn)).find((each) => each.subject === subject) ?? null,
    'it arrives',
  );
  const { html = '' } = await PostalMime.parse(await rawMessage(suite.posthorn, message.id));
  return suite.posthorn.dev.baseUrl + /href="[^"]+?(\/t\/c\/[^"]+)"/.exec(html)![1]!;
}

describe('the report of a workflow', () => {
  it('has its executions, its steps and what became of their mail', async () => {
    const { id } = await done('POST', 'workflows', { name: 'Welcome', trigger_type: 'MANUAL' });
    const { steps } = await done('GET', `workflows/${id}/graph`);
    const config = { subject: 'Welcome to us', body: '<p>Hello</p>', from: 'news@example.test' };
    const mail = { id: newId(), name: 'mail', type: 'SEND_EMAIL', position: { x: 0, y: 0 }, config };
    await done('PUT', `workflows/${id}/graph`, {
      steps: [steps[0], mail],
      transitions: [
        { id: newId(), from_step_id: steps[0].id, to_step_id: mail.id, priority: 0, condition: null },
      ],
    });
    await done('POST', `workflows/${id}/resume`);
    const contact = await done('POST', 'contacts', { email: 'new@gmail.com', subscribed: true });
    await done('POST', `workflows/${id}/executions`, { contact_id: contact.id });
    const insight = await eventually(async () => {
      const found = await done('GET', `analytics/workflows/${id}`);
      return found.completed === 1 && found.mail.delivered === 1 && found;
    }, 'it has run');
    const step = insight.steps.find(({ step_id }: Row) => step_id === mail.id);
    expect(insight).toMatchObject({ id, entered: 1, completed: 1, mail: { sent: 1 } });
    expect(step).toMatchObject({ entered: 1, done: 1, mail: { sent: 1, delivered: 1 } });
    const legacy = await onSurface('legacy', `analytics/workflows/${id}`);
    expect(legacy).toMatchObject({ id, entered: 1, executions: { COMPLETED: 1 } });
    expect(await csv(`analytics/workflows/${id}`)).toHaveLength(1 + insight.steps.length);
    expect(rowOf((await report('group_by=workflow')).data, id)).toMatchObject({ sent: 1 });
  });
});

describe.each(surfaces)('on %s a report', (surface) => {
  const [from, to, group, campaign] =
    surface === 'v1'
      ? ['from', 'to', 'group_by', 'campaign_id']
      : ['startDate', 'endDate', 'groupBy', 'campaignId'];
  const pointer = (name: string) => (surface === 'v1' ? `/${name}` : name);

  it.each([
    [`${from}=2026-02-02&${to}=2026-02-01`, from, 'out_of_range'],
    [`${group}=weather`, group, 'not_allowed'],
    [`limit=0`, 'limit', 'out_of_range'],
    [`limit=1001`, 'limit', 'out_of_range'],
    [`compare=next`, 'compare', 'not_allowed'],
    [`${campaign}=x`, campaign, 'invalid_format'],
    [`tag=a%20b`, 'tag', 'invalid_format'],
    [`after=abc`, 'after', 'unknown_field'],
    [`cursor=abc`, 'cursor', 'unknown_field'],
    [`${group}=link`, group, 'not_allowed'],
    [`${group}=template&${campaign}=${randomId}`, group, 'not_allowed'],
    [`tag=x&domain=example.test`, 'tag', 'not_allowed'],
  ])('is refused: %s', async (query, name, code) => {
    const location = `${prefixes[surface]}/analytics/emails?${query}`;
    const answer = await suite.posthorn.get(location);
    expectRefusal(answer, surface, location, { status: 422, errors: [[pointer(name!), code]] });
  });

  it.each(['campaigns', 'workflows'])('of unknown %s is not found', async (noun) => {
    for (const id of [randomId, 'nonsense']) {
      const answer = await suite.posthorn.get(`${prefixes[surface]}/analytics/${noun}/${id}`);
      expect(answer.status).toBe(404);
    }
  });
});
