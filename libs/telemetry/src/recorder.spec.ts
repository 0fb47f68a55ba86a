import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { trace, type ProxyTracerProvider } from '@opentelemetry/api';
import { startOtlpServer, type OtlpServer } from '@posthorn/dev';
import { openTracing } from './open-tracing.js';

let collector: Server;
beforeEach(async () => {
  // Accepts everything and never responds.
  collector = createServer((socket) => socket.resume().on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(collector, 'listening');
});
afterEach(() => void collector.close());

describe.each(['http/json', 'http/protobuf'])(
  'a recorder over %s with a collector that accepts and never responds',
  (protocol) => {
    it.each([1, 2_000])('shuts down within a few seconds with %d spans', async (spans) => {
      const { port } = collector.address() as AddressInfo;
      const endpoint = `http://127.0.0.1:${port}`;
      const tracing = await openTracing({
        endpoint,
        protocol,
        sampler: 'always_on',
        ratio: 1,
        service: 'sending',
      });
      const root = tracing.root('work', {}, null, false)!;
      for (let made = 1; made < spans; made += 1)
        for (const span of tracing.spans('step', {}, [root.point])) span.end();
      root.end();
      const connected = once(collector, 'connection');
      const began = performance.now();
      await Promise.all([connected, tracing.close()]);
      expect(performance.now() - began).toBeLessThan(9_500);
    });
  },
);

describe('recorders of one process', () => {
  let exported: string[] = [];
  let receiver: OtlpServer;
  const tracingOf = (service: string) =>
    openTracing({
      endpoint: receiver.endpoint,
      protocol: 'http/json',
      sampler: 'always_on',
      ratio: 1,
      service,
    });
  beforeEach(async () => {
    exported = [];
    receiver = await startOtlpServer((body) => exported.push(body));
  });
  afterEach(() => receiver.close());

  it('export each under the name of its own service, and leave nothing registered', async () => {
    const all = await Promise.all(['gateway', 'sending'].map(tracingOf));
    for (const tracing of all) tracing.root('work', {}, null, false)!.end();
    await Promise.all(all.map((tracing) => tracing.close()));
    const names = exported.flatMap((body) => body.match(/posthorn-\w+/g));
    expect(names.sort()).toEqual(['posthorn-gateway', 'posthorn-sending']);
    const { constructor } = (trace.getTracerProvider() as ProxyTracerProvider).getDelegate();
    expect(constructor.name).toBe('NoopTracerProvider');
  });

  it('record nothing where the standard says that the SDK is disabled', async () => {
    process.env['OTEL_SDK_DISABLED'] = 'true';
    try {
      const tracing = await tracingOf('sending');
      expect(tracing.root('work', {}, null, false)).toBeNull();
      await tracing.close();
    } finally {
      delete process.env['OTEL_SDK_DISABLED'];
    }
  });
});
