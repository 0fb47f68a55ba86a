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
    '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume',
    '421-4.7.28 Our system has detected an unusual rate of unsolicited mail originating from your IP address.',
    '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages',
    '451 4.7.650 The mail server has been temporarily rate limited due to IP reputation',
    '452 4.3.2 Too many concurrent connections',
    '421 Service not available, closing transmission channel',
  ])('asks to slow down: %s', (line) => {
    expect(of('rcpt', line)).toBe('destination');
    expect(of('dot', line)).toBe('destination');
    expect(of('mail', line)).toBe('all');
    expect(of('greeting', line)).toBeNull();
  });

  it.each([
    '450 4.7.1 Greylisted, please try again in 300 seconds',
    '451 4.7.1 Graylisting in action',
    '452 4.2.2 Mailbox full',
    '450 4.1.1 Mailbox unavailable',
    '550 5.7.1 Message rate limit exceeded',
    '250 2.0.0 Ok',
  ])('does not ask to slow down: %s', (line) => {
    expect(of('rcpt', line)).toBeNull();
  });
});
