import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openTracing } from './open-tracing.js';

let collector: Server;
beforeEach(async () => {
  // Takes whatever comes, and says nothing.
  collector = createServer((socket) => socket.resume().on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(collector, 'listening');
});
afterEach(() => void collector.close());

describe.each(['http/json', 'http/protobuf'])('a recorder over %s, whose collector accepts and never answers', (protocol) => {
  it.each([1, 2_000])('ends well, and within a few seconds, with %d spans', async (spans) => {
    const { port } = collector.address() as AddressInfo;
    const endpoint = `http://127.0.0.1:${port}`;
    const tracing = await openTracing({ endpoint, protocol, sampler: 'always_on', ratio: 1, service: 'sending' });
    const root = tracing.root('work', {}, null, false)!;
    for (let made = 1; made < spans; made += 1) for (const span of tracing.spans('step', {}, [root.point])) span.end();
    root.end();
    const connected = once(collector, 'connection');
    const began = performance.now();
    await Promise.all([connected, tracing.close()]);
    expect(performance.now() - began).toBeLessThan(6_000);
  });
});
