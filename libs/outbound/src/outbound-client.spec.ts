import names from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createRawServer, type AddressInfo, type Server as RawServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DnsServer } from '@posthorn/testing';
import {
  OutboundClient,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundResult,
} from './outbound-client.js';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let dns: DnsServer;
let server: Server;
let raw: RawServer;
let handle: Handler;
let rawAnswer: string;
let received: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
const open: OutboundClient[] = [];

beforeAll(async () => {
  dns = await DnsServer.start();
  server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  raw = createRawServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(rawAnswer));
  }).listen(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(raw, 'listening')]);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  raw.close();
  await dns.stop();
});
beforeEach(() => {
  received = [];
  handle = (_, response) => response.end('fine');
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
  dns.clear();
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  received.push({ method: request.method!, url: request.url!, headers: request.headers, body });
  handle(request, response, body);
}

const portOf = (listening: Server | RawServer) => (listening.address() as AddressInfo).port;
const local = (path = '/') => `http://127.0.0.1:${portOf(server)}${path}`;
const clientWith = (allowPrivate: boolean, options: Partial<OutboundOptions> = {}) => {
  const client = new OutboundClient({
    rules: { allowPrivate, ports: [portOf(server), portOf(raw)] },
    nameServers: [dns.address],
    ...options,
  });
  open.push(client);
  return client;
};
const requestTo = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  method: 'POST',
  headers: {},
  body: '{}',
  timeoutMs: 5_000,
  maxRedirects: 3,
  ownHeaders: () => ({}),
  ...more,
});
const send = (
  url: string,
  more: Partial<OutboundRequest> = {},
  allowPrivate = true,
): Promise<OutboundResult> => clientWith(allowPrivate).send(requestTo(url, more));
const redirect =
  (location: string, status = 302): Handler =>
  (request, response) => {
    if (request.url === '/end') return response.end('end');
    return response.writeHead(status, { location }).end();
  };

describe('a request', () => {
  it('arrives as it was given', async () => {
    const headers = { authorization: 'Bearer a', 'content-type': 'application/json' };
    const result = await send(local('/hook?a=1'), {
      headers,
      ownHeaders: () => ({ 'webhook-id': 'e1' }),
      body: '{"a":1}',
    });
    expect(result).toMatchObject({ kind: 'response', status: 200, body: 'fine' });
    expect(received).toMatchObject([{ method: 'POST', url: '/hook?a=1', body: '{"a":1}' }]);
    expect(received[0]!.headers).toMatchObject({ ...headers, 'webhook-id': 'e1' });
  });

  it('is not sent to a private address, whatever leads there', async () => {
    dns.set('A', 'private.test', '127.0.0.1');
    dns.set('A', 'mixed.test', '8.8.8.8', '10.0.0.1');
    for (const host of ['127.0.0.1', 'private.test', 'mixed.test', 'localhost.'])
      expect([host, await send(`http://${host}:${portOf(server)}/`, {}, false)]).toMatchObject([
        host,
        host === 'localhost.' ? { kind: 'failed', fault: 'name' } : { kind: 'refused', refusal: 'address' },
      ]);
    expect(received).toEqual([]);
  });

  it('is not sent to the metadata of a cloud, even where private addresses are allowed', async () => {
    dns.set('A', 'metadata.test', '169.254.169.254');
    expect(await send('http://metadata.test/latest')).toMatchObject({ kind: 'refused', refusal: 'address' });
  });

  it('resolves a name for each connection, and trusts only what it connects to', async () => {
    dns.set('A', 'changing.test', '127.0.0.1');
    expect(await send(`http://changing.test:${portOf(server)}/`)).toMatchObject({ status: 200 });
    dns.set('A', 'changing.test', '169.254.169.254');
    expect(await send(`http://changing.test:${portOf(server)}/`)).toMatchObject({ refusal: 'address' });
  });

  it('connects to the address that it checked, though the name leads to another one a moment later', async () => {
    dns.set('A', 'rebound.test', '127.0.0.1');
    dns.behave('rebound.test', { then: '169.254.169.254' });
    expect(await send(`http://rebound.test:${portOf(server)}/`)).toMatchObject({ status: 200 });
    expect(received).toHaveLength(1);
    expect(await send(`http://rebound.test:${portOf(server)}/`)).toMatchObject({ refusal: 'address' });
    expect(received).toHaveLength(1);
  });

  it('fails by name where a name has no address', async () => {
    expect(await send('http://nothing.test/')).toMatchObject({ kind: 'failed', fault: 'name' });
  });

  it('does not wait for names that nobody answers for, and finds localhost', async () => {
    const machines = names.getServers();
    names.setServers([dns.address]);
    const client = new OutboundClient({ rules: { allowPrivate: true, ports: [] } });
    names.setServers(machines);
    open.push(client);
    dns.set('A', 'known.test', '127.0.0.1');
    const sendSilent = (n: number, timeoutMs: number) => {
      dns.behave(`silent-${n}.test`, 'lame');
      return client.send(requestTo(`http://silent-${n}.test/`, { timeoutMs }));
    };
    const silent = Array.from({ length: 8 }, (_, n) => sendSilent(n, 20_000));
    for (const host of ['known.test', 'localhost']) {
      const result = await client.send(requestTo(`http://${host}:${portOf(server)}/`, { timeoutMs: 15_000 }));
      expect([host, result]).toMatchObject([host, { status: 200 }]);
    }
    const brief = sendSilent(8, 1_500);
    // A timer of the same process: what delays the one delays the other.
    const late = delay(4_000, 'late', { ref: false });
    expect(await Promise.race([brief, late])).toMatchObject({ fault: 'timeout' });
    await client.close();
    for (const result of await Promise.all(silent)) expect(result).toMatchObject({ kind: 'failed' });
  });

  it('does not wait for others of the same origin that hang', async () => {
    const client = clientWith(true);
    handle = (request, response) => (request.url === '/fine' ? response.end('fine') : undefined);
    const hanging = Array.from({ length: 40 }, () =>
      client.send(requestTo(local('/hanging'), { timeoutMs: 20_000 })),
    );
    const healthy = await client.send(requestTo(local('/fine'), { timeoutMs: 15_000 }));
    expect(healthy).toMatchObject({ status: 200, body: 'fine' });
    const brief = await client.send(requestTo(local('/hanging'), { timeoutMs: 500 }));
    expect(brief).toMatchObject({ fault: 'timeout' });
    await client.close();
    for (const result of await Promise.all(hanging)) expect(result).toMatchObject({ kind: 'failed' });
  });

  it('fails where nobody listens', async () => {
    const closed = createRawServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    await new Promise((done) => closed.close(done));
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ kind: 'failed', fault: 'connection' });
  });
});

describe('a redirect', () => {
  it.each([
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', '{}'],
    [308, 'POST', '{}'],
  ])('%i is followed with %s', async (status, method, body) => {
    handle = redirect('/end', status);
    expect(await send(local())).toMatchObject({ status: 200, body: 'end' });
    expect(received[1]).toMatchObject({ method, url: '/end', body });
  });

  it('to a GET takes nothing along that belongs to the body', async () => {
    handle = redirect('/end', 303);
    const headers = { 'Content-Type': 'text/plain', 'x-key': 'b' };
    await send(local(), { headers, ownHeaders: (body) => ({ 'webhook-signature': `of ${body}` }) });
    const [posted, got] = received.map(({ headers: sent }) => sent);
    expect(posted).toMatchObject({ 'content-type': 'text/plain', 'webhook-signature': 'of {}' });
    expect(got).toMatchObject({ 'x-key': 'b', 'webhook-signature': 'of null' });
    expect(got).not.toHaveProperty('content-type');
  });

  it('is the response where none is followed', async () => {
    handle = redirect('/end');
    expect(await send(local(), { maxRedirects: 0 })).toMatchObject({ kind: 'response', status: 302 });
  });

  it('is followed three times at most', async () => {
    handle = redirect('/again');
    expect(await send(local())).toMatchObject({ kind: 'refused', refusal: 'redirects' });
    expect(received).toHaveLength(4);
  });

  it.each([
    ['http://169.254.169.254/', 'address'],
    ['file:///etc/passwd', 'scheme'],
    ['http://a:b@127.0.0.1/', 'credentials'],
    ['http://[', 'url'],
  ])('to %s is refused', async (location, refusal) => {
    handle = redirect(location);
    expect(await send(local())).toMatchObject({ kind: 'refused', refusal });
  });

  it('to another origin takes no headers of the user along', async () => {
    dns.set('A', 'other.test', '127.0.0.1');
    handle = redirect(`http://other.test:${portOf(server)}/end`, 307);
    const headers = { authorization: 'Bearer a', 'x-key': 'b', 'content-type': 'application/json' };
    await send(local(), { headers, ownHeaders: () => ({ 'webhook-id': 'e1' }) });
    const [, { headers: second }] = received as [unknown, (typeof received)[0]];
    expect([second['authorization'], second['x-key']]).toEqual([undefined, undefined]);
    expect(second).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'e1' });
  });
});

describe('a response', () => {
  it('is read up to its limit', async () => {
    handle = (_, response) => response.end('x'.repeat(1_000_000));
    const result = await send(local());
    expect(result.kind === 'response' && result.body.length).toBe(65_536);
  });

  it('that never ends is given up, also one that sends a byte now and then', async () => {
    handle = (_, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    };
    expect(await send(local(), { timeoutMs: 300 })).toMatchObject({ kind: 'failed', fault: 'timeout' });
    handle = () => undefined;
    expect(await send(local(), { timeoutMs: 300 })).toMatchObject({ kind: 'failed', fault: 'timeout' });
  });

  it.each([
    ['is no HTTP', 'hello\r\n\r\n', 'protocol'],
    ['has headers without end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`, 'protocol'],
  ])('that %s is a fault of the protocol', async (_, answer, fault) => {
    rawAnswer = answer;
    expect(await send(`http://127.0.0.1:${portOf(raw)}/`)).toMatchObject({ kind: 'failed', fault });
  });

  it('says when to come again', async () => {
    handle = (_, response) => response.writeHead(429, { 'retry-after': '7' }).end();
    expect(await send(local())).toMatchObject({ status: 429, retryAfter: '7' });
  });
});
