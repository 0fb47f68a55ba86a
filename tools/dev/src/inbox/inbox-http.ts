import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { portTaken } from '../free-port.js';
import { errorCode } from '../dev-server-error.js';
import type { MessageStore, MessageSummary } from './message-store.js';
import type { MessageStream } from './message-stream.js';
import { messageHtml, viewMessage } from './message-view.js';

interface Call {
  store: MessageStore;
  stream: MessageStream;
  url: URL;
  response: ServerResponse;
}

const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Popups let a link of the mail open in a tab of its own; scripts stay forbidden. */
const messagePolicy =
  "default-src 'none'; img-src data: https: http:; style-src 'unsafe-inline'; sandbox allow-popups allow-popups-to-escape-sandbox";

const assets: Record<string, { file: string; type: string }> = {
  '/': { file: 'inbox.html', type: 'text/html; charset=utf-8' },
  '/inbox.css': { file: 'inbox.css', type: 'text/css; charset=utf-8' },
  '/inbox-page.js': { file: 'inbox-page.js', type: 'text/javascript; charset=utf-8' },
};
const maxListed = 500;

export function serveInbox(
  store: MessageStore,
  stream: MessageStream,
  port: number,
): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    answer(request, response, store, stream).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      // The file went with the oldest messages between the look-up and the read.
      else if (errorCode(error) === 'ENOENT') sendJson(response, 404, { error: 'No such message' });
      else sendJson(response, 500, { error: 'The message cannot be read' });
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(errorCode(error) === 'EADDRINUSE' ? portTaken(port, 'the inbox page') : error),
    );
    server.listen(port, '127.0.0.1', () =>
      resolve({ server, port: (server.address() as { port: number }).port }),
    );
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  store: MessageStore,
  stream: MessageStream,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://inbox');
  response
    .setHeader('X-Content-Type-Options', 'nosniff')
    .setHeader('Referrer-Policy', 'no-referrer')
    .setHeader('Cache-Control', 'no-store');
  // Any web site may point a name of its own at 127.0.0.1 and read the mails from the browser.
  if (!isLocalName(request.headers.host))
    return sendJson(response, 421, { error: 'Open the inbox as http://localhost or http://127.0.0.1' });
  const call: Call = { store, stream, url, response };
  const [, id, part] = /^\/api\/messages\/([0-9a-z]+)(?:\/(raw|html))?$/.exec(url.pathname) ?? [];
  if (request.method === 'DELETE' && url.pathname === '/api/messages') return clear(call);
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return sendJson(response, 405, { error: 'Method not allowed' });
  if (assets[url.pathname]) return sendAsset(call);
  if (url.pathname === '/api/messages') return list(call);
  if (url.pathname === '/api/stream') return stream.follow(response);
  const message = id ? store.find(id) : undefined;
  if (message) return sendMessage(call, message, part);
  return sendJson(response, 404, { error: id ? 'No such message' : 'No such page' });
}

function isLocalName(host = ''): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\]|[a-z0-9.-]+\.localhost)(:\d+)?$/i.test(host);
}

async function clear({ store, stream, response }: Call): Promise<void> {
  await store.clear();
  stream.send('cleared', {});
  response.writeHead(204).end();
}

function list({ store, url, response }: Call): void {
  const query = url.searchParams;
  const limit = Number(query.get('limit') ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > maxListed)
    return sendJson(response, 400, { error: `limit is a whole number from 1 to ${maxListed}` });
  const found = store.list({
    limit,
    after: query.get('after') || undefined,
    to: query.get('to') || undefined,
    text: query.get('q') || undefined,
  });
  sendJson(response, 200, { ...found, total: store.count });
}

async function sendMessage(
  { store, response }: Call,
  message: MessageSummary,
  part: string | undefined,
): Promise<void> {
  const raw = await store.raw(message.id);
  if (part === 'raw')
    response
      .writeHead(200, {
        'Content-Type': 'text/plain; charset=utf-8',
        'Content-Security-Policy': messagePolicy,
      })
      .end(raw);
  else if (part === 'html') {
    const html = await messageHtml(raw);
    response
      .writeHead(200, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': messagePolicy,
      })
      .end(html);
  } else sendJson(response, 200, await viewMessage(message, raw));
}

function sendAsset({ url, response }: Call): void {
  const { file, type } = assets[url.pathname] as { file: string; type: string };
  const body = readFileSync(new URL(file, import.meta.url));
  response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': pagePolicy }).end(body);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}
