import type { HttpReply } from './fastify.js';
import type { Route } from './route-table.js';
import { callersOf } from './route.js';

/** Pages of any origin may call what is open to public keys, without credentials (contract.md §15). */
export const isOpenToPages = ({ declaration }: Route): boolean => callersOf(declaration).includes('PUBLIC');

const exposed = 'retry-after, ratelimit, ratelimit-policy, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset';

export function allowPages(reply: HttpReply): void {
  void reply.headers({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposed,
    'cross-origin-resource-policy': 'cross-origin',
  });
}

/** What a browser asks before it sends a key along. */
export function answerPreflight(reply: HttpReply, methods: readonly string[]): void {
  allowPages(reply);
  void reply
    .code(204)
    .headers({
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': 'authorization, content-type, idempotency-key',
      'access-control-max-age': '86400',
    })
    .send();
}
