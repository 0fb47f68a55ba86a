import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emailEvents, type EmailChangedEvent } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { EventPublisher } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';
import { StreamReader } from '../testing/stream-reader.js';

let suite: GatewaySuite;
let sending: EventPublisher;
beforeAll(async () => {
  suite = await startGatewaySuite();
  sending = await EventPublisher.start(suite.connection);
});
afterAll(async () => {
  await sending.stop();
  await suite.stop();
});

const long = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`m${index}`, 'x'.repeat(490)]));
const email = (index: number): EmailChangedEvent => ({
  emailId: newId(),
  to: `r${index}@example.org`,
  at: new Date(),
  sourceType: 'TRANSACTIONAL',
  subject: 'News',
  from: 'news@shop.example',
  fromName: 'Shop',
  providerMessageId: 'p-1',
  contactId: null,
  templateId: null,
  campaignId: null,
  metadata: long,
});

/** More than the buffers of a connection take. */
const count = 1_200;

describe('a reader that does not read', () => {
  it('is dropped with the id from which it resumes, and disturbs no other', async () => {
    const { projectId } = await suite.buildProject();
    const { token } = await suite.buildKey(projectId);
    const url = `${suite.gateway.url}/api/v1/stream`;
    const good = await StreamReader.open(url, token);
    const slow = connect(suite.gateway.port, '127.0.0.1');
    slow.write(`GET /api/v1/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`);
    await once(slow, 'readable');
    await sending.publish(
      emailEvents.sent,
      projectId,
      Array.from({ length: count }, (_, index) => email(index)),
    );
    const all = await good.events(count, 60_000);
    expect(all.map(({ data }) => data.data.to)).toEqual(all.map((_, index) => `r${index}@example.org`));
    await good.close();
    let text = '';
    slow.setEncoding('utf8').on('data', (part: string) => (text += part));
    await once(slow, 'end');
    slow.destroy();
    const [, id] = /id: (\S+)\nevent: stream\.ended\ndata: \{"reason":"slow_reader"\}/.exec(text) ?? [];
    const seen = new Set([...text.matchAll(/"to":"(r\d+)@/g)].map(([, name]) => name));
    expect(seen.size).toBeLessThan(count);
    const resumed = await StreamReader.open(url, token, id);
    const rest = await resumed.events(count - seen.size, 60_000);
    await resumed.close();
    expect(rest[0]!.data.data.to).toBe(`r${seen.size}@example.org`);
    expect(rest.at(-1)!.data.data.to).toBe(`r${count - 1}@example.org`);
  }, 120_000);
});
