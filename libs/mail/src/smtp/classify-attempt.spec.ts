import { describe, expect, it } from '@jest/globals';
import type { SmtpStage, SmtpVerdict } from './smtp-attempt.js';
import { classify, type Classification } from './classify-attempt.js';

const delivered = { attemptClass: 'accepted', suppress: false } as const;
const ambiguous = { attemptClass: 'ambiguous', suppress: false } as const;
const fault = {
  attemptClass: 'provider_fault',
  failureKind: 'provider_paused',
  suppress: false,
} as const;
const retry = { attemptClass: 'retry', suppress: false } as const;
const rejected = {
  attemptClass: 'failed',
  failureKind: 'provider_rejected',
  suppress: false,
} as const;
const bounced = {
  attemptClass: 'bounced',
  failureKind: 'hard_bounce',
  suppress: false,
} as const;
const dead = { ...bounced, suppress: true } as const;

const table: [SmtpVerdict, SmtpStage, string, Classification][] = [
  ['accepted', 'dot', '250 2.0.0', delivered],
  ['ambiguous', 'dot', '', ambiguous],
  ...(['connect', 'greeting', 'ehlo', 'tls', 'auth'] as const).flatMap(
    (stage): [SmtpVerdict, SmtpStage, string, Classification][] => [
      ['refused', stage, '554 5.1.1', fault],
      ['refused_temporarily', stage, '421', fault],
      ['no_reply', stage, '', fault],
    ],
  ),
  ['no_reply', 'mail', '', retry],
  ['no_reply', 'body', '', retry],
  ['refused_temporarily', 'mail', '450', retry],
  ['refused_temporarily', 'rcpt', '450 5.1.1', retry],
  ['refused_temporarily', 'rcpt', '552', retry],
  ['refused_temporarily', 'dot', '451', retry],
  ['refused', 'mail', '550 5.7.1', rejected],
  ['refused', 'mail', '550 5.1.1', rejected],
  ['refused', 'mail', '530 5.7.0', fault],
  ['refused', 'rcpt', '550', dead],
  ['refused', 'rcpt', '551', dead],
  ['refused', 'rcpt', '553', dead],
  ['refused', 'rcpt', '554', bounced],
  ['refused', 'rcpt', '550 5.7.1', bounced],
  ['refused', 'rcpt', '550 5.2.2', bounced],
  ['refused', 'rcpt', '550 5.7.606', bounced],
  ...['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1'].map(
    (code): [SmtpVerdict, SmtpStage, string, Classification] => ['refused', 'rcpt', `550 ${code}`, dead],
  ),
  ['refused', 'rcpt', '553 5.6.7', bounced],
  ['refused', 'data', '554', bounced],
  ['refused', 'data', '550', bounced],
  ['refused', 'dot', '554 5.7.1', bounced],
  ['refused', 'dot', '550', bounced],
  ['refused', 'dot', '550 5.1.1', dead],
];

describe('classify', () => {
  it.each(table)('%s at %s with %j', (verdict, stage, texts, expected) => {
    const [code, enhanced] = texts.split(' ');
    expect(
      classify({
        verdict,
        stage,
        reply: texts === '' ? undefined : { code: Number(code), enhanced, text: '' },
      }),
    ).toEqual(expected);
  });
});
