import { describe, expect, it } from '@jest/globals';
import { parseReply, type SmtpStage } from './smtp-attempt.js';
import { slowDownOf } from './slow-down.js';

const of = (stage: SmtpStage, line: string) =>
  slowDownOf({
    verdict: line.startsWith('4') ? 'refused_temporarily' : 'refused',
    stage,
    reply: parseReply(line),
  });

describe('a reply', () => {
  it.each([
    '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints',
    '421-4.7.28 Our system has detected an unusual rate of unsolicited mail originating from your IP address.',
    '451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation.',
    '452 4.3.2 Too many concurrent connections',
    '454 4.7.0 Throttling failure: Maximum sending rate exceeded.',
    '421 Too many messages from your server, slow down',
  ])('asks to slow down: %s', (line) => {
    expect(of('rcpt', line)).toBe('destination');
    expect(of('dot', line)).toBe('destination');
    expect(of('mail', line)).toBe('all');
    expect(of('greeting', line)).toBeNull();
  });

  it.each([
    '450 4.7.1 Greylisted, please try again in 300 seconds',
    '451 4.7.1 Please try again later',
    '450 4.7.1 Client host rejected: cannot find your hostname',
    '452 4.2.2 The recipient has exceeded the storage quota, too many messages',
    // The limit of one mailbox.
    '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages',
    '450 4.1.1 Mailbox unavailable',
    '421 Service not available, closing transmission channel',
    '421 4.4.2 Connection timed out',
    // What the sender or recipient chose is repeated.
    '450 4.1.2 <throttling@rate-limit.example>: Recipient address rejected: Domain not found',
    '451 4.7.1 <too many messages@slow down.example>: try again later',
    '451 4.7.1 throttl@evil.example: try again later',
    '550 5.7.1 Message rate limit exceeded',
    '250 2.0.0 Ok',
  ])('does not ask to slow down: %s', (line) => {
    expect(of('rcpt', line)).toBeNull();
    expect(of('mail', line)).toBeNull();
  });
});
