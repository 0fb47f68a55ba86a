import { describe, expect, it } from '@jest/globals';
import { GatewayConfig } from '../config.js';
import { FailedCredentials } from './failed-credentials.js';

const attemptsOf = (failedAttemptsPerMinute: number) =>
  new FailedCredentials(
    Object.assign(new GatewayConfig(), { rateLimitEnabled: true, failedAttemptsPerMinute }),
  );

describe('failed attempts', () => {
  it('are counted per address', () => {
    const attempts = attemptsOf(2);
    attempts.count('192.0.2.1');
    expect(attempts.waitOf('192.0.2.1')).toBe(0);
    attempts.count('192.0.2.1');
    expect(attempts.waitOf('192.0.2.1')).toBeGreaterThan(58);
    expect(attempts.waitOf('192.0.2.1')).toBeLessThanOrEqual(60);
    expect(attempts.waitOf('192.0.2.2')).toBe(0);
  });

  it('are counted per /64 in IPv6, in any notation, and per address in mapped IPv4', () => {
    const attempts = attemptsOf(1);
    attempts.count('2001:db8::1');
    expect(attempts.waitOf('2001:0DB8:0000:0000:ffff::9')).toBeGreaterThan(0);
    expect(attempts.waitOf('2001:db8:0:1::1')).toBe(0);
    attempts.count('::ffff:192.0.2.1');
    expect(attempts.waitOf('192.0.2.1')).toBeGreaterThan(0);
    expect(attempts.waitOf('::FFFF:c000:201')).toBeGreaterThan(0);
    expect(attempts.waitOf('192.0.2.2')).toBe(0);
  });

  it('are kept for a limited number of addresses', () => {
    const attempts = attemptsOf(1);
    for (let index = 0; index < 50_000; index += 1)
      attempts.count(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
    expect(attempts.addresses).toBe(20_000);
    expect(attempts.waitOf('10.0.0.0')).toBe(0);
    expect(attempts.waitOf('10.0.195.79')).toBeGreaterThan(0);
  });
});
