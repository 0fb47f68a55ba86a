import type { GatewayConfig } from '../config.js';
import { isTrustedOrigin } from '../people/library/trusted-origins.js';
import type { HttpReply, HttpRequest } from '../wire/fastify.js';
import { headerValues } from '../wire/header-values.js';
import { callersOf } from '../routes/route.js';
import type { Route } from '../routes/route-table.js';

/** Routes open to public keys may be called from any origin, without credentials (docs/api-decisions.md §15). */
const isOpenToAnyOrigin = ({ declaration }: Route): boolean => callersOf(declaration).includes('PUBLIC');

const exposed =
  'retry-after, ratelimit, ratelimit-policy, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset';
const forAll = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
const forOwnOrigins = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true',
  vary: 'Origin',
});

/** Other routes may be called from the product's own origins only, with cookies. */
export class Cors {
  constructor(private readonly config: Pick<GatewayConfig, 'trustedOrigins'>) {}

  allow(route: Route, request: HttpRequest, reply: HttpReply): void {
    const headers = isOpenToAnyOrigin(route) ? forAll : this.forTrusted(request);
    if (headers) void reply.headers({ ...headers, 'access-control-expose-headers': exposed });
  }

  preflight(routes: readonly Route[], request: HttpRequest, reply: HttpReply): boolean {
    const wanted = request.headers['access-control-request-method'];
    const open = routes.filter(isOpenToAnyOrigin);
    const ours = routes.filter((route) => !isOpenToAnyOrigin(route));
    const trusted =
      ours.length > 0 && !open.some(({ method }) => method === wanted) ? this.forTrusted(request) : null;
    if (request.method !== 'OPTIONS' || (!trusted && open.length === 0)) return false;
    const methods = (trusted ? ours : open).map(({ method }) => method);
    void reply
      .code(204)
      .headers({
        ...(trusted ?? forAll),
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': `authorization, content-type, idempotency-key${trusted ? ', x-project-id' : ''}`,
        'access-control-max-age': '86400',
      })
      .send();
    return true;
  }

  private forTrusted({ raw }: HttpRequest): Record<string, string> | null {
    const origins = headerValues(raw.rawHeaders, 'origin');
    return isTrustedOrigin(this.config, origins) ? forOwnOrigins(origins[0]!) : null;
  }
}
