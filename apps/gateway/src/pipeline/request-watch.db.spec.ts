import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '@posthorn/dev';
import { eventually } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

const parent = 'b7ad6b7169203331';
const path = '/api/v1/contacts/019b0000-0000-7000-8000-000000000001?search=somebody@example.com';

let receiver: OtlpReceiver;
const suites: GatewaySuite[] = [];

beforeAll(async () => {
  receiver = await startOtlpReceiver();
});
afterAll(async () => {
  await Promise.all(suites.map((suite) => suite.stop()));
  await receiver.close();
});

async function gateway(changes: Record<string, string>): Promise<GatewaySuite> {
  const endpoint = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  };
  const suite = await startGatewaySuite({ ...endpoint, OTEL_TRACES_SAMPLER_ARG: '1', ...changes });
  suites.push(suite);
  return suite;
}

/** Asks without a key; the answer is 401, which is a request like any other. */
async function request(suite: GatewaySuite, headers: Record<string, string> = {}): Promise<string> {
  const { status, json } = await suite.request('GET', path, { headers });
  expect(status).toBe(401);
  return json['request_id'] as string;
}

const recorded = (requestId: string): Promise<ReceivedSpan> =>
  eventually(
    () =>
      Promise.resolve(
        receiver.spans.find(({ attributes }) => attributes['posthorn.request_id'] === requestId),
      ),
    'the request is recorded',
  );

const newTrace = () => crypto.randomUUID().replaceAll('-', '');
const traceparent = (traceId: string, flags: string) => ({ traceparent: `00-${traceId}-${parent}-${flags}` });

describe('a request that is recorded', () => {
  it('is named by its route, and carries its status and its id, but nothing that its client wrote', async () => {
    const span = await recorded(await request(await gateway({})));
    expect(span).toMatchObject({
      name: 'GET /api/v1/contacts/:id',
      service: 'posthorn-gateway',
      parentSpanId: undefined,
    });
    expect(span.attributes).toMatchObject({
      'http.route': '/api/v1/contacts/:id',
      'http.response.status_code': 401,
    });
    expect(JSON.stringify(span)).not.toContain('somebody');
  });

  it('of a stranger with a trace of its own begins a new one, and names the other', async () => {
    const traceId = newTrace();
    const span = await recorded(await request(await gateway({}), traceparent(traceId, '01')));
    expect(span.traceId).not.toBe(traceId);
    expect(span.links).toEqual([{ traceId, spanId: parent }]);
  });

  it('of a trusted proxy goes on with its trace, and only where that is recorded', async () => {
    const suite = await gateway({ TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.1' });
    const [stored, dropped] = [newTrace(), newTrace()];
    await request(suite, traceparent(dropped, '00'));
    const span = await recorded(await request(suite, traceparent(stored, '01')));
    expect(span).toMatchObject({ traceId: stored, parentSpanId: parent, links: [] });
    // Sent in the order of their ends: the one before would have come first.
    expect(receiver.spans.map(({ traceId }) => traceId)).not.toContain(dropped);
  });

  it('is a share of all, which a stranger cannot raise', async () => {
    const suite = await gateway({ OTEL_TRACES_SAMPLER_ARG: '0' });
    const traceId = newTrace();
    await request(suite, traceparent(traceId, '01'));
    await suite.stop();
    suites.pop();
    expect(JSON.stringify(receiver.spans)).not.toContain(traceId);
  });
});
