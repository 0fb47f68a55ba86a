import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Endpoints of webhooks, which have a process of their own, so that neither side pays for them. */
const [healthy, hanging] = process.argv.slice(2).map(Number) as [number, number];

let expected = Infinity;
let requests = 0;
let firstAt = 0;
let known = new Set<string>();

const servers = await Promise.all(
  Array.from({ length: healthy + hanging }, (_, index) => open(index >= healthy)),
);
const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
process.send!({ healthy: urls.slice(0, healthy), hanging: urls.slice(healthy) });

process.on('message', ({ count }: { count: number }) => {
  [expected, requests, firstAt, known] = [count, 0, 0, new Set()];
});

process.on('disconnect', () => process.exit());

async function open(hangs: boolean): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (hangs) return;
      response.writeHead(200).end('ok');
      arrived(`${request.socket.localPort} ${String(request.headers['webhook-id'])}`, chunks);
    });
  });
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  return server;
}

/** A call counts once, however often it comes. */
function arrived(id: string, chunks: Buffer[]): void {
  firstAt ||= performance.now();
  requests += 1;
  known.add(id);
  if (known.size !== expected) return;
  expected = Infinity;
  process.send!({
    ...{ requests, ms: performance.now() - firstAt },
    body: Buffer.concat(chunks).toString('utf8'),
  });
}
