import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  expectRefusal,
  pointerOn,
  prefixes,
  randomId,
  surfaces,
  withPosthorn,
  type Surface,
} from '../testing/bad-input.js';
import type { Answer } from '../testing/running-posthorn.js';

const suite = withPosthorn();
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
const noSuch = { status: 404, code: 'resource_not_found', detail: 'No such campaign' };

/** A new campaign on each surface. */
const shown = (surface: Surface, projectId: string) =>
  surface === 'v1'
    ? {
        id: uuid, name: 'Spring', description: null, subject: 'Hello', body: '<p>Hi</p>', template_id: null, from: 'news@example.test',
        from_name: 'News', reply_to: null, email_category: 'MARKETING', audience_type: 'ALL', audience_condition: null, segment_id: null, list_id: null,
        exclude_segment_ids: [], exclude_list_ids: [], topic_id: null, send_rate: null, variants: null, test: null, timing: null, resend_of_id: null, paused_reason: null, status: 'DRAFT', scheduled_at: null, sent_at: null,
        stats: { total_recipients: 0, sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, failed: 0 },
        created_at: instant, updated_at: instant,
      }
    : {
        id: uuid, projectId, name: 'Spring', description: null, subject: 'Hello', body: '<p>Hi</p>', templateId: null, from: 'news@example.test',
        fromName: 'News', replyTo: null, emailCategory: 'MARKETING', audienceType: 'ALL', audienceCondition: null, segmentId: null, listId: null,
        excludeSegmentIds: [], excludeListIds: [], topicId: null, sendRate: null, variants: null, test: null, timing: null, resendOfId: null, pausedReason: null, status: 'DRAFT', scheduledAt: null, sentAt: null,
        stats: { totalRecipients: 0, sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, failed: 0 },
        createdAt: instant, updatedAt: instant,
      }; // prettier-ignore
const dataOf = (surface: Surface, { body }: Answer) => (surface === 'v1' ? body : body.data);
const inSnake = (members: object) =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
const output = (surface: Surface, members: object) => (surface === 'v1' ? inSnake(members) : members);

describe.each(surfaces)('campaigns on %s', (surface) => {
  const path = `${prefixes[surface]}/campaigns`;
  const wanted = output(surface, {
    name: 'Spring',
    subject: 'Hello',
    body: '<p>Hi</p>',
    from: 'news@example.test',
    fromName: 'News',
    audienceType: 'ALL',
  });
  const create = (body: object = wanted, headers: Record<string, string> = {}) =>
    suite.posthorn.post(path, body, headers);
  const expectRefused = (answer: Answer, at: string, ...errors: [string, string][]) => {
    const here = errors.map(
      ([name, code]) =>
        [pointerOn(surface, `/${Object.keys(output(surface, { [name]: 0 }))[0]}`), code] as const,
    );
    expectRefusal(answer, surface, at, { status: 422, errors: here });
  };
  let id: string;

  beforeAll(async () => {
    const answer = await create();
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(
      surface === 'v1'
        ? shown(surface, suite.posthorn.dev.projectId)
        : { success: true, data: shown(surface, suite.posthorn.dev.projectId) },
    );
    id = dataOf(surface, answer).id;
  });

  it('can be read, listed and updated', async () => {
    const got = await suite.posthorn.get(`${path}/${id}`);
    expect([got.status, dataOf(surface, got).id]).toEqual([200, id]);
    const listed = await suite.posthorn.get(`${path}?limit=1`);
    const first = surface === 'v1' ? listed.body.data[0] : listed.body.data.items[0];
    expect(first).toEqual(dataOf(surface, got));
    const changed = await suite.posthorn.request(
      'PATCH',
      `${path}/${id}`,
      output(surface, { fromName: null, name: 'Summer' }),
    );
    expect(changed.status).toBe(200);
    expect(dataOf(surface, changed)).toMatchObject(
      output(surface, { name: 'Summer', fromName: null, subject: 'Hello' }),
    );
    const unchanged = await suite.posthorn.request('PATCH', `${path}/${id}`, {});
    expect([unchanged.status, unchanged.text]).toEqual([200, changed.text]);
  });

  it('can be copied and deleted', async () => {
    const copy = await suite.posthorn.post(`${path}/${id}/clone`, undefined);
    expect([copy.status, dataOf(surface, copy).status]).toEqual([201, 'DRAFT']);
    expect(dataOf(surface, copy).name).toMatch(/ \(copy\)$/);
    const location = `${path}/${dataOf(surface, copy).id}`;
    const deleted = await suite.posthorn.request('DELETE', location);
    expect(deleted.body).toEqual(
      surface === 'v1' ? { id: dataOf(surface, copy).id, deleted: true } : { success: true },
    );
    expectRefusal(await suite.posthorn.get(location), surface, location, noSuch);
    expectRefusal(await suite.posthorn.request('DELETE', location), surface, location, noSuch);
  });

  it('are refused for missing members and unknown references', async () => {
    expectRefused(await create({}), path, ['name', 'required'], ['audienceType', 'required']);
    expectRefused(await create({ ...wanted, ...output(surface, { audienceType: 'LIST' }) }), path, [
      'listId',
      'required',
    ]);
    expectRefused(await create({ ...wanted, ...output(surface, { templateId: randomId }) }), path, [
      'templateId',
      'not_found',
    ]);
    expectRefused(await create({ ...wanted, ...output(surface, { audienceType: 'FILTERED' }) }), path, [
      'audienceCondition',
      'required',
    ]);
    expectRefused(
      await create({ ...wanted, ...output(surface, { audienceType: 'LIST', listId: randomId }) }),
      path,
      ['listId', 'not_found'],
    );
    expectRefused(await create({ ...wanted, from: 'news@stranger.example' }), path, ['from', 'not_verified']);
    expectRefused(await create({ ...wanted, subject: 'Two\r\nlines' }), path, ['subject', 'invalid_text']);
    expectRefused(await create({ ...wanted, status: 'SENT' }), path, ['status', 'unknown_field']);
    const location = `${path}/${id}`;
    const patch = (body: object) => suite.posthorn.request('PATCH', location, body);
    expectRefused(await patch({ name: null }), location, ['name', 'invalid_type']);
    expectRefused(await patch({ from: 'news@stranger.example' }), location, ['from', 'not_verified']);
    expectRefused(await patch(output(surface, { audienceType: 'SEGMENT' })), location, [
      'segmentId',
      'required',
    ]);
  });

  it('are created once per Idempotency-Key', async () => {
    const keyed = (body: object = wanted) => create(body, { 'idempotency-key': 'campaign' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => keyed()));
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ status }) => status !== 201).map(({ status }) => status)).toEqual(
      Array.from({ length: 10 - made.length }, () => 409),
    );
    const reordered = Object.fromEntries(Object.entries(wanted).reverse());
    expect((await keyed(reordered)).text).toBe(made[0]!.text);
    const reused = await keyed({ ...wanted, name: 'Other' });
    expect([
      reused.status,
      surface === 'v1' ? reused.body.code : reused.body.error.code.toLowerCase(),
    ]).toEqual([422, 'idempotency_key_reused']);
  });
});

describe('the number of campaigns', () => {
  it('is exact on the legacy surface', async () => {
    const { body } = await suite.posthorn.get('/api/campaigns?limit=100');
    expect(body.data).toMatchObject({ nextCursor: null, hasMore: false, total: body.data.items.length });
    expect(body.data.total).toBeGreaterThanOrEqual(4);
  });
});

describe('the health check', () => {
  it('includes campaigns and workflows', async () => {
    const { status, body } = await suite.posthorn.get('/healthz');
    expect([status, body.parts]).toEqual([
      200,
      expect.objectContaining({ campaigns: 'ok', workflows: 'ok' }),
    ]);
  });
});
