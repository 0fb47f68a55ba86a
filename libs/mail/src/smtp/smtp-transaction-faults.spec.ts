import { afterEach, describe, expect, it } from '@jest/globals';
import { SmtpSink } from '../../../testing/src/smtp-sink/smtp-sink.js';
import { openSession } from './smtp-session.js';
import { endpointOf, flat, timeoutsOf, type SmtpFaultCase } from '../testing/smtp-fault-case.js';

interface Case extends SmtpFaultCase {
  from?: string;
  to?: string;
  raw?: Buffer;
  /** Messages that the sink wrote down. */
  taken?: number;
}

const message = Buffer.from(
  'From: a@b.test\r\nTo: c@d.test\r\nDate: x\r\nMessage-ID: <1@b.test>\r\nMIME-Version: 1.0\r\n\r\nhello\r\n',
);
const large = Buffer.concat([message, Buffer.alloc(8 * 1024 * 1024, 'x'.repeat(62) + '\r\n')]);

const fromMail: Case[] = [
  {
    at: 'nothing wrong',
    expected: { verdict: 'accepted', stage: 'dot', code: 250, sessionUsable: true },
    taken: 1,
  },
  {
    at: 'MAIL 450',
    from: 'mail-450@b.test',
    expected: { verdict: 'refused_temporarily', stage: 'mail', code: 450, sessionUsable: true },
  },
  {
    at: 'MAIL 550',
    from: 'mail-550@b.test',
    expected: { verdict: 'refused', stage: 'mail', code: 550, sessionUsable: true },
  },
  {
    at: 'MAIL 421',
    from: 'mail-421@b.test',
    expected: { verdict: 'refused_temporarily', stage: 'mail', code: 421, sessionUsable: false },
  },
  {
    at: 'MAIL hangs',
    from: 'hang-at-mail@b.test',
    expected: { verdict: 'no_reply', stage: 'mail', error: 'timeout', sessionUsable: false },
  },
  {
    at: 'MAIL drops',
    from: 'drop-at-mail@b.test',
    expected: { verdict: 'no_reply', stage: 'mail', sessionUsable: false },
  },
  {
    at: 'MAIL senseless',
    from: 'senseless-at-mail@b.test',
    expected: { verdict: 'no_reply', stage: 'mail', sessionUsable: false },
  },
  {
    at: 'MAIL and something unasked',
    from: 'extra-at-mail@b.test',
    expected: { verdict: 'no_reply', sessionUsable: false },
  },
  {
    at: 'RCPT 550 with a code',
    to: 'rcpt-550-5.1.1@d.test',
    expected: { verdict: 'refused', stage: 'rcpt', code: 550, enhanced: '5.1.1', sessionUsable: true },
  },
  {
    at: 'RCPT 450',
    to: 'rcpt-450@d.test',
    expected: { verdict: 'refused_temporarily', stage: 'rcpt', code: 450, sessionUsable: true },
  },
  {
    at: 'RCPT 552',
    to: 'rcpt-552@d.test',
    expected: { verdict: 'refused_temporarily', stage: 'rcpt', code: 552, sessionUsable: true },
  },
  {
    at: 'RCPT 421',
    to: 'rcpt-421@d.test',
    expected: { verdict: 'refused_temporarily', stage: 'rcpt', code: 421, sessionUsable: false },
  },
  {
    at: 'RCPT hangs',
    to: 'hang-at-rcpt@d.test',
    expected: { verdict: 'no_reply', stage: 'rcpt', error: 'timeout' },
  },
  { at: 'RCPT drops', to: 'drop-at-rcpt@d.test', expected: { verdict: 'no_reply', stage: 'rcpt' } },
  { at: 'RCPT resets', to: 'reset-at-rcpt@d.test', expected: { verdict: 'no_reply' } },
  {
    at: 'RCPT one byte a while',
    to: 'one-byte-a-second@d.test',
    sink: { trickleMs: 200 },
    expected: { verdict: 'no_reply', stage: 'rcpt', error: 'timeout' },
  },
  {
    at: 'RCPT senseless',
    to: 'senseless-at-rcpt@d.test',
    expected: { verdict: 'no_reply', stage: 'rcpt' },
  },
  {
    at: 'RCPT unfinished reply',
    to: 'unfinished-at-rcpt@d.test',
    expected: { verdict: 'no_reply', stage: 'rcpt' },
  },
  {
    at: 'DATA 554',
    to: 'data-554@d.test',
    expected: { verdict: 'refused', stage: 'data', code: 554, sessionUsable: true },
  },
  {
    at: 'DATA 451',
    to: 'data-451@d.test',
    expected: { verdict: 'refused_temporarily', stage: 'data', code: 451, sessionUsable: true },
  },
  {
    at: 'DATA 250 instead of 354',
    to: 'data-250@d.test',
    expected: { verdict: 'no_reply', stage: 'data', sessionUsable: false },
  },
  {
    at: 'DATA hangs',
    to: 'hang-at-data@d.test',
    expected: { verdict: 'no_reply', stage: 'data', error: 'timeout' },
  },
  { at: 'DATA drops', to: 'drop-at-data@d.test', expected: { verdict: 'no_reply', stage: 'data' } },
  { at: 'DATA resets', to: 'reset-at-data@d.test', expected: { verdict: 'no_reply' } },
  {
    at: '250 together with the 354',
    to: 'extra-at-data@d.test',
    expected: { verdict: 'no_reply', sessionUsable: false },
  },
  {
    at: 'large body refused in the middle',
    to: 'body-552@d.test',
    raw: large,
    expected: { verdict: 'refused', stage: 'body', code: 552, sessionUsable: false },
  },
  {
    at: 'large body accepted in the middle',
    to: 'reply-before-dot@d.test',
    raw: large,
    expected: { verdict: 'no_reply', stage: 'body', sessionUsable: false },
  },
  {
    at: 'large body, server stops reading',
    to: 'drop-before-dot@d.test',
    raw: large,
    expected: { verdict: 'no_reply', stage: 'body' },
  },
  {
    at: 'large body, server resets',
    to: 'reset-before-dot@d.test',
    raw: large,
    expected: { verdict: 'no_reply', stage: 'body' },
  },
  {
    at: 'small body, dropped while reading',
    to: 'drop-before-dot@d.test',
    expected: { verdict: 'ambiguous', stage: 'dot' },
  },
  {
    at: 'dot 451',
    to: 'dot-451@d.test',
    expected: { verdict: 'refused_temporarily', stage: 'dot', code: 451, sessionUsable: true },
  },
  {
    at: 'dot 554',
    to: 'dot-554-5.7.1@d.test',
    expected: { verdict: 'refused', stage: 'dot', code: 554, enhanced: '5.7.1', sessionUsable: true },
  },
  {
    at: 'dot 421',
    to: 'dot-421@d.test',
    expected: { verdict: 'refused_temporarily', stage: 'dot', code: 421, sessionUsable: false },
  },
  { at: 'dot 221', to: 'dot-221@d.test', expected: { verdict: 'ambiguous', stage: 'dot' } },
  { at: 'dot 354', to: 'dot-354@d.test', expected: { verdict: 'ambiguous', stage: 'dot' } },
  {
    at: 'dot hangs',
    to: 'hang-after-dot@d.test',
    expected: { verdict: 'ambiguous', stage: 'dot', error: 'timeout' },
  },
  { at: 'dot drops', to: 'drop-after-dot@d.test', expected: { verdict: 'ambiguous', stage: 'dot' } },
  { at: 'dot resets', to: 'reset-after-dot@d.test', expected: { verdict: 'ambiguous', stage: 'dot' } },
  { at: 'dot senseless', to: 'senseless-after-dot@d.test', expected: { verdict: 'ambiguous', stage: 'dot' } },
  {
    at: 'dot unfinished reply',
    to: 'unfinished-at-dot@d.test',
    expected: { verdict: 'ambiguous', stage: 'dot' },
  },
  {
    at: 'accepted, then dropped',
    to: 'drop-after-accept@d.test',
    expected: { verdict: 'ambiguous', stage: 'dot' },
    taken: 1,
  },
  {
    at: 'accepted, then reset',
    to: 'reset-after-accept@d.test',
    expected: { verdict: 'ambiguous', stage: 'dot' },
    taken: 1,
  },
  {
    at: 'accepted, answer never comes',
    to: 'late-dot@d.test',
    expected: { verdict: 'ambiguous', stage: 'dot', error: 'timeout' },
    taken: 1,
  },
  {
    at: 'accepted, answer trickles',
    to: 'trickle-at-accept@d.test',
    sink: { trickleMs: 60 },
    expected: { verdict: 'ambiguous', stage: 'dot', error: 'timeout' },
    taken: 1,
  },
  {
    at: 'accepted late, but in time',
    to: 'late-at-accept-20@d.test',
    expected: { verdict: 'accepted', stage: 'dot', sessionUsable: true },
    taken: 1,
  },
  {
    at: 'accepted, and something unasked',
    to: 'extra-at-accept@d.test',
    expected: { verdict: 'accepted', stage: 'dot', sessionUsable: false },
    taken: 1,
  },
  {
    at: 'larger than SIZE',
    sink: { maxSize: 20 },
    expected: { verdict: 'refused', stage: 'mail', code: 552, sessionUsable: true },
  },
  {
    at: 'SMTPUTF8 not offered',
    sink: { smtpUtf8: false },
    to: 'jörg@d.test',
    expected: { verdict: 'refused', stage: 'rcpt', code: 553, enhanced: '5.6.7' },
  },
  {
    at: 'an address that cannot stand in a command',
    to: 'a>b@d.test',
    expected: { verdict: 'refused', stage: 'rcpt', enhanced: '5.1.3' },
  },
];

let sink: SmtpSink | undefined;
afterEach(() => sink?.stop());

describe.each([true, false])('verdicts from MAIL on, pipelining %s', (pipelining) => {
  it.each(fromMail)(
    '$at',
    async ({
      sink: options,
      from = 'bounces@b.test',
      to = 'ok@d.test',
      raw = message,
      expected,
      taken = 0,
    }) => {
      sink = await SmtpSink.start({ ...options, pipelining });
      const opened = await openSession(endpointOf(sink), timeoutsOf(expected));
      if ('failure' in opened) throw new Error(opened.failure.error);
      const attempt = await opened.session.deliver({ envelope: { from, to }, raw });
      expect(flat(attempt)).toMatchObject(expected);
      await sink.waitFor(taken);
      expect(sink.count).toBe(taken);
      expect(opened.session.usable).toBe(attempt.sessionUsable);
      if (attempt.sessionUsable && sink.rules.maxSize === undefined) await expectNextWorks();
      opened.session.drop();

      async function expectNextWorks(): Promise<void> {
        if ('failure' in opened) return;
        const next = await opened.session.deliver({
          envelope: { from: 'bounces@b.test', to: 'next@d.test' },
          raw: message,
        });
        expect(next).toMatchObject({ verdict: 'accepted', sessionUsable: true });
        expect(sink!.messages.at(-1)).toMatchObject({ to: 'next@d.test', faults: [] });
      }
    },
  );
});
