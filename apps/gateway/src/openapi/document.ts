import { scopeDescriptions, scopes } from '@posthorn/contracts';
import { dialectSchemas } from '../dialects/dialects.js';
import { surfaces } from '../routes/route-request.js';
import type { Route, RouteTable } from '../routes/route-table.js';
import { sessionCookieName } from '../identity/session-cookie.js';
import { authPath } from '../people/people-rules.js';
import { headers } from './headers.js';
import { operationOf, tagOf, inTagOrder } from './operations.js';
import { refusalsOf, refusalsWithoutRoute, responseOf, unreadable } from './refusals.js';
import { ShapeSchemas } from './shape-schemas.js';

const about = `Self-hosted e-mail delivery and marketing.
Every operation exists on two surfaces. Below \`/api/v1\`, names are snake_case, a success is the bare resource and a failure is a
problem document. Everywhere else, names are camelCase inside \`{success, data}\`, and a failure is \`{success: false, error}\`.
An unknown path is 404 and an unknown method 405 with \`Allow\`, in the format of the path. Ids are UUIDs; instants are ISO 8601 in
UTC. The id of a resource in another project gets the same response as an unknown id.`;

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

function bySubject({ declaration, path, method }: Route): string {
  return `${String(scopes.indexOf(declaration.scope)).padStart(3, '0')} ${path} ${method}`;
}

const securitySchemes = {
  secretKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A secret key `sk_…` with all rights of its scopes. Never publish it in a web page.',
  },
  publicKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A public key `pk_…`, which may be published in a web page. It can call only the operations marked for public keys; whoever finds it can send anything to anybody, unless it is confined when it is created: use one with `subscribeOnly` for forms.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieName,
    description: 'The session of a signed-in user; the header `x-project-id` selects the project.',
  },
  token: {
    type: 'oauth2',
    description:
      'An access token `oat_…` of an application that acts for a user in one project, with at most the rights of that user.',
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
    'Makes a repeat with the same key and body safe: it is executed once. The same key with another body is 422; while the first request is in progress, a repeat is 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const byName = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
