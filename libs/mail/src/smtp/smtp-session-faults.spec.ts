import { afterEach, describe, expect, it } from '@jest/globals';
import { SmtpSink } from '../../../testing/src/smtp-sink/smtp-sink.js';
import { openSession } from './smtp-session.js';
import type { SmtpEndpoint } from './smtp-url.js';
import { endpointOf, flat, timeoutsOf, type SmtpFaultCase } from '../testing/smtp-fault-case.js';

interface Case extends SmtpFaultCase {
  endpoint?: Partial<SmtpEndpoint>;
}

const auth = { user: 'u', pass: 'p' };

const beforeMail: Case[] = [
  {
    at: 'greeting 554',
    sink: { faults: { connect: { kind: 'reply', text: '554 5.3.2 no service' } } },
    expected: { verdict: 'refused', stage: 'greeting', code: 554 },
  },
  {
    at: 'greeting 421',
    sink: { faults: { connect: { kind: 'reply', text: '421 4.3.2 busy' } } },
    expected: { verdict: 'refused_temporarily', stage: 'greeting', code: 421 },
  },
  {
    at: 'greeting hangs',
    sink: { faults: { connect: { kind: 'hang' } } },
    expected: { verdict: 'no_reply', stage: 'greeting', error: 'timeout' },
  },
  {
    at: 'greeting drops',
    sink: { faults: { connect: { kind: 'drop' } } },
    expected: { verdict: 'no_reply', stage: 'greeting' },
  },
  {
    at: 'greeting resets',
    sink: { faults: { connect: { kind: 'reset' } } },
    expected: { verdict: 'no_reply' },
  },
  {
    at: 'greeting is senseless',
    sink: { faults: { connect: { kind: 'senseless' } } },
    expected: { verdict: 'no_reply', stage: 'greeting' },
  },
  {
    at: 'greeting trickles',
    sink: { faults: { connect: { kind: 'trickle' } }, trickleMs: 60 },
    expected: { verdict: 'no_reply', stage: 'greeting', error: 'timeout' },
  },
  {
    at: 'EHLO 421',
    sink: { faults: { ehlo: { kind: 'reply', text: '421 4.3.2 not now' } } },
    expected: { verdict: 'refused_temporarily', stage: 'ehlo' },
  },
  {
    at: 'EHLO and HELO 550',
    sink: { faults: { ehlo: { kind: 'reply', text: '550 5.7.1 who are you' } } },
    expected: { verdict: 'refused', stage: 'ehlo', code: 550 },
  },
  {
    at: 'EHLO hangs',
    sink: { faults: { ehlo: { kind: 'hang' } } },
    expected: { verdict: 'no_reply', stage: 'ehlo', error: 'timeout' },
  },
  {
    at: 'EHLO drops',
    sink: { faults: { ehlo: { kind: 'drop' } } },
    expected: { verdict: 'no_reply', stage: 'ehlo' },
  },
  {
    at: 'EHLO resets',
    sink: { faults: { ehlo: { kind: 'reset' } } },
    expected: { verdict: 'no_reply', stage: 'ehlo' },
  },
  {
    at: 'STARTTLS 454',
    sink: { startTls: 'offered', faults: { starttls: { kind: 'reply', text: '454 4.7.0 no TLS' } } },
    endpoint: { tls: 'required' },
    expected: { verdict: 'refused_temporarily', stage: 'tls' },
  },
  {
    at: 'STARTTLS required, not offered',
    endpoint: { tls: 'required' },
    expected: { verdict: 'no_reply', stage: 'tls' },
    sink: { faults: { starttls: { kind: 'senseless' } } },
  },
  {
    at: 'STARTTLS hangs',
    sink: { startTls: 'offered', faults: { starttls: { kind: 'hang' } } },
    expected: { verdict: 'no_reply', stage: 'tls', error: 'timeout' },
  },
  {
    at: 'handshake hangs',
    sink: { startTls: 'offered', faults: { handshake: { kind: 'hang' } } },
    expected: { verdict: 'no_reply', stage: 'tls', error: 'timeout' },
  },
  {
    at: 'handshake drops',
    sink: { startTls: 'offered', faults: { handshake: { kind: 'drop' } } },
    expected: { verdict: 'no_reply', stage: 'tls' },
  },
  {
    at: 'certificate does not verify',
    sink: { startTls: 'offered' },
    endpoint: { insecure: false },
    expected: { verdict: 'no_reply', stage: 'tls' },
  },
  {
    at: 'smtps certificate does not verify',
    sink: { implicitTls: true },
    endpoint: { tls: 'implicit', insecure: false },
    expected: { verdict: 'no_reply', stage: 'tls' },
  },
  {
    at: 'AUTH 535',
    sink: { auth },
    endpoint: { auth: { user: 'u', pass: 'wrong' } },
    expected: { verdict: 'refused', stage: 'auth', code: 535, enhanced: '5.7.8' },
  },
  {
    at: 'AUTH 454',
    sink: { auth, faults: { auth: { kind: 'reply', text: '454 4.7.0 later' } } },
    endpoint: { auth },
    expected: { verdict: 'refused_temporarily', stage: 'auth' },
  },
  {
    at: 'AUTH hangs',
    sink: { auth, faults: { auth: { kind: 'hang' } } },
    endpoint: { auth },
    expected: { verdict: 'no_reply', stage: 'auth', error: 'timeout' },
  },
  {
    at: 'AUTH drops',
    sink: { auth, faults: { auth: { kind: 'drop' } } },
    endpoint: { auth },
    expected: { verdict: 'no_reply', stage: 'auth' },
  },
  {
    at: 'AUTH not offered',
    endpoint: { auth },
    expected: { verdict: 'no_reply', stage: 'auth', error: 'AUTH is not offered' },
  },
];

let sink: SmtpSink | undefined;
afterEach(() => sink?.stop());

describe('verdicts before MAIL', () => {
  it.each(beforeMail)('$at', async ({ sink: options, endpoint, expected }) => {
    sink = await SmtpSink.start(options);
    const opened = await openSession(endpointOf(sink, endpoint), timeoutsOf(expected));
    expect('failure' in opened ? flat(opened.failure) : opened).toMatchObject({
      ...expected,
      sessionUsable: false,
    });
  });

  it('no server listens', async () => {
    const removed = await SmtpSink.start();
    const endpoint = endpointOf(removed);
    await removed.stop();
    expect(await openSession(endpoint, timeoutsOf({}))).toMatchObject({
      failure: { verdict: 'no_reply', stage: 'connect', error: 'ECONNREFUSED' },
    });
    expect(await openSession({ ...endpoint, tls: 'implicit' }, timeoutsOf({}))).toMatchObject({
      failure: { stage: 'connect' },
    });
  });
});
