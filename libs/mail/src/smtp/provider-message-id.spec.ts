import { describe, expect, it } from '@jest/globals';
import { parseReply } from './smtp-attempt.js';
import { providerMessageIdOf } from './provider-message-id.js';

describe('the reply to an accepted message', () => {
  it.each([
    ['250 2.0.0 Ok: queued as 4Xk2Jz0ZtTz1R', '4Xk2Jz0ZtTz1R'],
    ['250 Ok: queued as zXG0rEWqSyqGuSVO2K7E1A', 'zXG0rEWqSyqGuSVO2K7E1A'],
    ['250 OK id=1tC5bC-0000aB-2f', '1tC5bC-0000aB-2f'],
    [
      '250 Ok 0100018f2a3b4c5d-1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d-000000',
      '0100018f2a3b4c5d-1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d-000000',
    ],
    [
      '250 2.0.0 OK: queued as <202611251200.123@smtp-relay.example.com>',
      '202611251200.123@smtp-relay.example.com',
    ],
    ['250 2.0.0 Ok', null],
    ['250 Great success', null],
    ['250 queued', null],
  ])('%s names %s', (line, id) => {
    expect(providerMessageIdOf(parseReply(line))).toBe(id);
  });

  it('names nothing where there is none', () => {
    expect(providerMessageIdOf(undefined)).toBeNull();
  });
});
