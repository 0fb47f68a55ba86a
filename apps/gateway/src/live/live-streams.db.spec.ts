import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  contactEvents,
  contactLookups,
  emailEvents,
  type Contact,
  type EmailChangedEvent,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, EventPublisher, standIn } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';
import { StreamReader, type Frame } from '../testing/stream-reader.js';

let suite: GatewaySuite;
let sending: EventPublisher;
let contacts: EventPublisher;
let leave: () => Promise<void>;
let lookups = 0;
const readers: StreamReader[] = [];
const known = new Map<string, Contact>();

beforeAll(async () => {
  suite = await startGatewaySuite({ STREAM_CONNECTIONS_PER_PROJECT: '4', STREAM_CONNECTIONS: '6' });
  sending = await EventPublisher.start(suite.connection);
  contacts = await EventPublisher.start(suite.connection, 'contacts');
  leave = await standIn(suite.connection, contactLookups.byIds, async ({ ids }) => {
    lookups += 1;
    return { contacts: ids.flatMap((id) => known.get(id) ?? []) };
  });
});
afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.close()));
});
afterAll(async () => {
  await leave();
  await sending.stop();
  await contacts.stop();
  await suite.stop();
});

const at = new Date('2026-11-20T10:00:00.123Z');
const email = (to: string): EmailChangedEvent => ({
  emailId: newId(),
  to,
  at,
  sourceType: 'TRANSACTIONAL',
  subject: 'News',
  from: 'news@shop.example',
  fromName: 'Shop',
  providerMessageId: 'p-1',
  contactId: null,
  templateId: null,
  campaignId: null,
  metadata: {},
});

async function buildReader(
  key: string,
  {
    path = '/api/v1/stream',
    lastEventId,
    url = suite.gateway.url,
  }: { path?: string; lastEventId?: string; url?: string } = {},
): Promise<StreamReader> {
  const reader = await StreamReader.open(url + path, key, lastEventId);
  readers.push(reader);
  return reader;
}

async function buildKey(): Promise<{ key: string; keyId: string; projectId: string }> {
  const { projectId } = await suite.buildProject();
  const { token, id } = await suite.buildKey(projectId);
  return { key: token, keyId: id, projectId };
}

const recipientsOf = (frames: readonly Frame[]) => frames.map(({ data }) => data.data.to);

describe('the live stream', () => {
  it('tells the events of the project in the words of webhooks, on both surfaces', async () => {
    const [{ key, projectId }, other] = [await buildKey(), await buildKey()];
    const [v1, legacy] = await Promise.all([buildReader(key), buildReader(key, { path: '/api/stream' })]);
    expect(v1.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await sending.publish(emailEvents.sent, other.projectId, [email('eve@example.org')]);
    const item = email('ada@example.org');
    await sending.publish(emailEvents.sent, projectId, [item]);
    const [frame] = await v1.events(1);
    expect(frame!.event).toBe('email.sent');
    expect(frame!.data).toEqual({
      id: expect.any(String),
      type: 'email.sent',
      created_at: at.toISOString(),
      data: expect.objectContaining({
        emailId: item.emailId,
        to: 'ada@example.org',
        sentAt: at.toISOString(),
      }),
    });
    const [old] = await legacy.events(1);
    expect(old!.data).toMatchObject({ id: frame!.data.id, createdAt: at.toISOString() });
    expect(old!.id).toBe(frame!.id);
  });

  it('tells only the wanted types, and nothing that a machine did', async () => {
    const { key, projectId } = await buildKey();
    const reader = await buildReader(key, { path: '/api/v1/stream?types=email.opened,email.bounced' });
    const opened = { ...email('ada@example.org'), link: null, isFirst: true, total: 1 };
    await sending.publish(emailEvents.sent, projectId, [email('ada@example.org')]);
    await sending.publish(emailEvents.opened, projectId, [{ ...opened, isMachine: true }]);
    await sending.publish(emailEvents.opened, projectId, [{ ...opened, isMachine: false }]);
    const [frame] = await reader.events(1);
    expect(frame!.event).toBe('email.opened');
    const refused = await suite.request('GET', '/api/v1/stream?types=email.opened,email.lost', { key });
    expect([refused.status, refused.json['errors']]).toEqual([
      422,
      [expect.objectContaining({ pointer: '/types' })],
    ]);
    expect((await suite.request('GET', '/api/v1/stream?types=', { key })).status).toBe(422);
  });

  it('looks a contact up once for all readers', async () => {
    const { key, projectId } = await buildKey();
    const all = await Promise.all([
      buildReader(key),
      buildReader(key),
      buildReader(key, { path: '/api/stream' }),
    ]);
    const contactId = newId();
    known.set(contactId, {
      id: contactId,
      email: 'ada@example.org',
      subscribed: true,
      customFields: { plan: 'pro' },
      createdAt: at,
      updatedAt: at,
    } as unknown as Contact);
    lookups = 0;
    await contacts.publish(contactEvents.created, projectId, [
      { contactId, email: 'ada@example.org', subscribed: true, at, seq: 1 },
    ]);
    for (const reader of all) {
      const [frame] = await reader.events(1);
      expect(frame!.data.data).toMatchObject({ id: contactId, projectId, customFields: { plan: 'pro' } });
    }
    expect(lookups).toBe(1);
  });

  it('resumes after an id, in the middle of an event and at another gateway', async () => {
    const { key, projectId } = await buildKey();
    const first = await buildReader(key);
    await sending.publish(
      emailEvents.sent,
      projectId,
      ['a', 'b', 'c'].map((name) => email(`${name}@example.org`)),
    );
    const frames = await first.events(3);
    await first.close();
    await sending.publish(emailEvents.sent, projectId, [email('d@example.org')]);
    const another = await suite.startAnother();
    for (const [index, { id }] of frames.entries()) {
      const resumed = await buildReader(key, { lastEventId: id, url: another.url });
      expect(recipientsOf(await resumed.events(3 - index))).toEqual(
        ['b@example.org', 'c@example.org', 'd@example.org'].slice(index),
      );
      await resumed.close();
    }
    const resumed = await buildReader(key, { lastEventId: frames[2]!.id, url: another.url });
    await sending.publish(emailEvents.sent, projectId, [email('e@example.org')]);
    expect(recipientsOf(await resumed.events(2))).toEqual(['d@example.org', 'e@example.org']);
    await another.stop();
  });

  it('refuses an id of another project, from the future, or of nothing', async () => {
    const [{ key, projectId }, other] = [await buildKey(), await buildKey()];
    const reader = await buildReader(key);
    await sending.publish(emailEvents.sent, projectId, [email('ada@example.org')]);
    const [{ id }] = (await reader.events(1)) as [Frame];
    const bytes = Buffer.from(id, 'base64url');
    const future = Buffer.from(bytes);
    future.writeUIntBE(future.readUIntBE(9, 6) + 100_000, 9, 6);
    const old = Buffer.from(bytes);
    old.writeUInt32BE(7, 5);
    const cases: [string, string, RegExp][] = [
      [other.key, id, /another project/],
      [key, future.toString('base64url'), /future/],
      [key, old.toString('base64url'), /older/],
      [key, 'nonsense', /not an id/],
      [key, `${id}AA`, /not an id/],
      [key, 'ä'.repeat(20), /not an id/],
    ];
    for (const [withKey, lastEventId, message] of cases) {
      for (const path of ['/api/v1/stream', '/api/stream']) {
        const answer = await suite.request('GET', path, {
          key: withKey,
          headers: { 'last-event-id': encodeURI(lastEventId) },
        });
        expect([answer.status, answer.text]).toEqual([422, expect.stringMatching(message)]);
      }
    }
  });

  it('ends with its credential', async () => {
    const { key, keyId, projectId } = await buildKey();
    const reader = await buildReader(key);
    const owner = await suite.buildUser({ projectId });
    await suite.request('DELETE', `/api/v1/projects/${projectId}/api-keys/${keyId}`, { as: owner });
    const ended = await reader.until('stream.ended', 25_000);
    expect(ended.data).toEqual({ reason: 'credential_ended' });
    await reader.closed;
  }, 30_000);

  it('is limited in each project and each process', async () => {
    const [one, other] = [await buildKey(), await buildKey()];
    for (let count = 0; count < 4; count += 1) await buildReader(one.key);
    const refused = await suite.request('GET', '/api/v1/stream', { key: one.key });
    expect([refused.status, refused.headers.get('retry-after'), refused.text]).toEqual([
      429,
      '5',
      expect.stringContaining('At most 4'),
    ]);
    await buildReader(other.key);
    await buildReader(other.key);
    const full = await suite.request('GET', '/api/stream', { key: other.key });
    expect([full.status, full.text]).toEqual([429, expect.stringContaining('No more than 6')]);
    await readers[0]!.close();
    await eventually(async () => {
      const reader = await buildReader(other.key).catch(() => null);
      return reader !== null;
    }, 'there is room again');
  });

  it('answers a HEAD without an end to wait for', async () => {
    const { key } = await buildKey();
    const answer = await suite.request('HEAD', '/api/v1/stream', { key });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
  });

  it('ends for readers of a gateway that stops, with the id to resume from', async () => {
    const { key, projectId } = await buildKey();
    const another = await suite.startAnother();
    const reader = await buildReader(key, { url: another.url });
    const stopped = another.stop();
    const ended = await reader.until('stream.ended');
    await stopped;
    expect(ended.data).toEqual({ reason: 'closing' });
    await sending.publish(emailEvents.sent, projectId, [email('ada@example.org')]);
    const resumed = await buildReader(key, { lastEventId: ended.id });
    expect(recipientsOf(await resumed.events(1))).toEqual(['ada@example.org']);
  });
});
