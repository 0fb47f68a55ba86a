import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Base64Text,
  maxAttachmentBytes,
  type AcceptedEmails,
  type AcceptSend,
  type SendBatch,
  type SettledSend,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Bus, BusConnection } from '@posthorn/messaging';
import { startTestNats, type TestNats } from '@posthorn/testing';
import { operatorOf } from '../testing/gateway-suite.js';
import { GatewayConfig } from '../config.js';
import type { RouteRequest } from '../routes/route-request.js';
import { Accepting } from './accepting.js';
import { SendsService } from './sends.service.js';

let nats: TestNats;
let gateway: BusConnection;
let sending: BusConnection;
let accepting: Accepting;

beforeAll(async () => {
  nats = await startTestNats();
  gateway = await BusConnection.open({ url: nats.url, name: 'gateway' });
  sending = await BusConnection.open({ url: nats.url, name: 'sending' });
  accepting = new Accepting(new Bus(gateway), Object.assign(new GatewayConfig(), { answerWithinMs: 2_000 }));
});
afterAll(async () => {
  await Promise.all([gateway.close(), sending.close()]);
  await nats.stop();
});

const caller = operatorOf(newId());
const send: AcceptSend = {
  subject: 's',
  body: 'b',
  recipients: [{ id: newId(), to: { email: 'a@example.test' } }],
};

/** Far below the default timeout of a call, but a second above this limit. */
const [budgetMs, boundMs] = [300, 1_400];

/** Other load only makes a call slower, so the fastest of several attempts shows its own time. */
const maxTries = 4;

/** A send whose reply is lost; `settled` is its outcome, absent if it is unknown. */
async function lost(settled: SettledSend | null): Promise<AcceptedEmails> {
  const hang = sending.nats.subscribe('call.sending.emails.accept', { callback: () => undefined });
  const settle = sending.nats.subscribe('call.sending.emails.settle', {
    callback: (_, message) => void (settled && message.respond(JSON.stringify([{ reply: settled }]))),
  });
  await sending.nats.flush();
  try {
    return await answerInTime(settled ? 400 : boundMs);
  } finally {
    hang.unsubscribe();
    settle.unsubscribe();
    await sending.nats.flush();
  }
}

async function answerInTime(slowMs: number): Promise<AcceptedEmails> {
  const took: number[] = [];
  for (;;) {
    const started = performance.now();
    const [answer] = await Promise.allSettled([accepting.accept(caller, send, started + budgetMs)]);
    took.push(performance.now() - started);
    if (took.at(-1)! >= slowMs && took.length < maxTries) continue;
    expect(Math.min(...took)).toBeLessThan(boundMs);
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  }
}

describe('a send whose reply was lost', () => {
  it('returns the receipt if it was accepted', async () => {
    const accepted = {
      emails: [{ id: send.recipients[0]!.id, to: 'a@example.test', from: 'b@example.test', contactId: null }],
      acceptedAt: new Date(0),
    };
    expect(await lost({ outcome: 'ACCEPTED', accepted })).toEqual(accepted);
  });

  it('fails if it was voided, and is never sent later', async () => {
    await expect(lost({ outcome: 'VOIDED', accepted: null })).rejects.toMatchObject({
      kind: 'unavailable',
      details: { retryAfterSeconds: 1 },
    });
  });

  it('reports an unknown outcome if settling fails', async () => {
    await expect(lost(null)).rejects.toMatchObject({
      kind: 'internal',
      message: 'The outcome is unknown; repeat the request with the same Idempotency-Key',
    });
  });

  it('is not settled if it reached no handler', async () => {
    const started = performance.now();
    await expect(accepting.accept(caller, send, started + 10_000)).rejects.toMatchObject({
      kind: 'unavailable',
      isOutcomeUnknown: false,
    });
    expect(performance.now() - started).toBeLessThan(8_000);
  });
});

it('refuses files that are too large without a call', async () => {
  const content = Base64Text.of(Buffer.from(Buffer.alloc(maxAttachmentBytes + 1).toString('base64')))!;
  const large = { ...send, attachments: [{ filename: 'a.txt', content }] };
  await expect(accepting.accept(caller, large, performance.now() + budgetMs)).rejects.toMatchObject({
    kind: 'invalid',
    details: { errors: [{ path: ['attachments'] }] },
  });
});

it('waits longer for a batch than for one message, because a busy service needs longer', async () => {
  const config = Object.assign(new GatewayConfig(), { answerWithinMs: 1_000 });
  const sends = new SendsService(new Bus(gateway), new Accepting(new Bus(gateway), config));
  const slow = sending.nats.subscribe('call.sending.emails.acceptBatch', {
    callback: (_, message) =>
      void setTimeout(
        () => message.respond(JSON.stringify([{ reply: { accepted: [], refused: [] } }])),
        1_300,
      ),
  });
  await sending.nats.flush();
  const batch = {
    caller,
    body: {
      emails: Array.from({ length: 100 }, () => ({
        to: { email: 'a@example.test' },
        subject: 's',
        body: 'b',
      })),
    },
    entries: { requestIndexes: Array.from({ length: 100 }, (_, index) => index), refused: [] },
  };
  await expect(sends.sendBatch(batch as unknown as RouteRequest<SendBatch>)).resolves.toEqual({
    items: [],
    someFailed: false,
  });
  slow.unsubscribe();
});
