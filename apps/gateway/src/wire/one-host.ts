import type { Fastify, HttpReply, HttpRequest } from './fastify.js';
import { acceptsHtml } from './headers.js';

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/** To a browser, localhost and 127.0.0.1 are two sites with their own cookies: who opens one by the name of the other is redirected. */
export function redirectLoopbackNames(fastify: Fastify, publicUrl: string): void {
  const own = new URL(publicUrl);
  if (own.protocol !== 'http:' || !loopbackNames.has(own.hostname)) return;
  fastify.addHook('onRequest', (request, reply, done) => {
    if (isOtherName(request, own)) redirect(request, reply, own);
    else done();
  });
}

function isOtherName({ method, url, raw, headers }: HttpRequest, own: URL): boolean {
  if (method !== 'GET' || !url.startsWith('/') || !acceptsHtml(raw)) return false;
  const requested = URL.parse(`http://${headers.host ?? ''}`);
  return (
    requested !== null &&
    requested.hostname !== own.hostname &&
    requested.port === own.port &&
    loopbackNames.has(requested.hostname)
  );
}

function redirect({ url }: HttpRequest, reply: HttpReply, { origin }: URL): void {
  void reply.code(302).header('location', `${origin}${url}`).send();
}
