import { describe, expect, it } from '@jest/globals';
import { natsUrlProblem, readNatsUrl } from './nats-servers.js';

describe('NATS_URL', () => {
  it('names one server or several, and one user for all', () => {
    expect(readNatsUrl('nats://127.0.0.1:4222')).toEqual({
      hosts: ['127.0.0.1:4222'],
      isEncrypted: false,
      user: '',
      password: '',
    });
    expect(readNatsUrl('tls://sending:p%40ss@a.example, tls://b.example:4333 ,tls://[::1]')).toEqual({
      hosts: ['a.example:4222', 'b.example:4333', '[::1]:4222'],
      isEncrypted: true,
      user: 'sending',
      password: 'p@ss',
    });
    expect(readNatsUrl('nats://u:p@a,nats://u:p@b,nats://u:p@a').hosts).toEqual(['a:4222', 'b:4222']);
  });

  it.each([
    ['127.0.0.1:4222', /must be addresses such as/],
    ['http://a:4222', /must be addresses such as/],
    ['nats://a,,nats://b', /must be addresses such as/],
    ['nats://', /must be addresses such as/],
    ['nats://a:99999', /must be addresses such as/],
    ['nats://a/path', /must be addresses such as/],
    ['nats://u:%zz@a', /must be addresses such as/],
    ['nats://a, tls://b', /mixes/],
    ['nats://u:one@a, nats://u:two@b', /more than one user/],
  ])('is refused as %s, without saying what may be a password', (text, problem) => {
    expect(natsUrlProblem(text)).toMatch(problem);
    expect(natsUrlProblem(text)).not.toMatch(/zz|one@|two/);
  });
});
