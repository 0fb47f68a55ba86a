import { scopeDescriptions } from '@posthorn/contracts';
import { dialectSchemas } from '../dialects/dialect-schemas.js';
import { surfaces } from '../edge/routes/call.js';
import { bySubject } from '../edge/routes/describe-routes.js';
import type { RouteTable } from '../edge/routes/route-table.js';
import { sessionCookieName } from '../identity/session-cookie.js';
import { authPath } from '../people/people-rules.js';
import { headers } from './headers.js';
import { operationOf, tagOf } from './operations.js';
import { refusalsOf, refusalsWithoutRoute, responseOf, unreadable } from './refusals.js';
import { ShapeSchemas } from './shape-schemas.js';
import { inTagOrder } from './tag-order.js';

const about = `E-mail delivery and marketing, self-hosted.

Every operation is here twice. Below \`/api/v1\` names are snake_case, a success is the bare resource and a failure is a
problem document. Everywhere else names are camelCase in \`{success, data}\`, and a failure is \`{success: false, error}\`.

An unknown path is 404 and an unknown method 405 with \`Allow\`, in the dialect of the path. Ids are UUIDs, instants ISO 8601 in
UTC. An id of another project is answered like one that nobody has.`;

/** The whole public API as OpenAPI 3.1, from the declarations of the routes and nothing else. */
export function openApiDocument({ routes }: RouteTable): object {
  const schemas = new ShapeSchemas();
  const paths: Record<string, Record<string, object>> = {};
  const sorted = [...routes].sort((a, b) => bySubject(a).localeCompare(bySubject(b)));
  for (const route of sorted) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route, schemas);
  }
  const failures = surfaces.map((surface) => dialectSchemas[surface].failure);
  const refusals = [...sorted.flatMap(refusalsOf), ...refusalsWithoutRoute(), ...unreadable];
  return {
    openapi: '3.1.1',
    info: {
      title: 'Posthorn',
      version: '1',
      description: about,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: inTagOrder(sorted.map(tagOf)).map((name) => ({ name })),
    paths,
    components: {
      securitySchemes,
      parameters: { IdempotencyKey: idempotencyKey },
      headers,
      responses: byName(refusals.map((refusal) => [refusal.name, responseOf(refusal)])),
      schemas: byName([
        ...Object.entries(schemas.written),
        ...failures.map(({ name, schema }) => [name, schema] as const),
      ]),
    },
  };
}

const securitySchemes = {
  secretKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A key `sk_…`: everything that its scopes allow. Never in a page.',
  },
  publicKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A key `pk_…`, which may stand in a page: only what is open to it.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieName,
    description: 'A signed-in person; `x-project-id` names the project.',
  },
  token: {
    type: 'oauth2',
    description:
      'An access token `oat_…` that a person let an application have: one project, at most their own rights.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${authPath}/oauth2/authorize`,
        tokenUrl: `${authPath}/oauth2/token`,
        refreshUrl: `${authPath}/oauth2/token`,
        scopes: scopeDescriptions,
      },
    },
  },
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A repeat with the same key and body happens once; another body is 422, a first request still in flight 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const byName = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
