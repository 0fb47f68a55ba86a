import { outcomeUnknown, type Caller } from '@posthorn/contracts';
import { runAsCaller, CallFailed } from '@posthorn/messaging';
import type { Dialect } from '../dialects/dialect.js';
import { readBody } from '../dialects/read-body.js';
import { parametersOf, readQuery, type Parameters, type ReadQuery } from '../dialects/read-query.js';
import type { Admission } from '../identity/credential.js';
import { defaultBodyLimit, type BodyReader } from '../wire/bodies/body-reader.js';
import { parseBody } from '../wire/bodies/parse-body.js';
import { clientOf, type HttpReply, type HttpRequest } from '../wire/fastify.js';
import type { RouteRequest } from '../routes/route-request.js';
import type { Route } from '../routes/route-table.js';
import type { Handler, RouteKind, RouteKinds } from '../routes/route.js';

export interface Exchange<Kind extends RouteKind = RouteKind> {
  route: Route;
  declaration: RouteKinds[Kind];
  dialect: Dialect;
  admission: Admission;
  request: HttpRequest;
  reply: HttpReply;
  handler: Handler;
}

export class NoBody {}

export function routeRequestOf(
  { route, admission, request }: Exchange,
  read: Partial<RouteRequest>,
): RouteRequest {
  const caller: Caller = { ...admission.caller, ...clientOf(request) };
  const none = { body: {}, query: {}, listPage: {}, wantsHtml: false, isReadOnly: false };
  return {
    ...none,
    wantsCsv: false,
    wantsEvents: false,
    surface: route.surface,
    sessionId: admission.sessionId,
    scopes: admission.scopes,
    params: request.params as Record<string, string>,
    ...read,
    caller,
  };
}

export async function handle({ route, handler }: Exchange, routeRequest: RouteRequest): Promise<object> {
  return runAsCaller(routeRequest.caller, () => handler(routeRequest)).catch((error: unknown) =>
    throwUnknownOutcome(route, error),
  );
}

/** A write that reached its service may have been committed (docs/api-decisions.md §1). Sends settle it themselves. */
function throwUnknownOutcome({ method, isSend }: Route, error: unknown): never {
  const isUnknown = error instanceof CallFailed && error.isOutcomeUnknown && method !== 'GET' && !isSend;
  throw isUnknown ? outcomeUnknown() : error;
}

const parameters = new WeakMap<Route, Parameters>();

export function queryOf({ route, declaration, dialect, request }: Exchange): ReadQuery {
  return readQuery(
    knownParameters(route, dialect),
    declaration.query,
    request.query as Record<string, unknown>,
  );
}

export function optionsOf({ route, declaration, dialect }: Exchange, fields: object): object {
  return readQuery(knownParameters(route, dialect), declaration.query, { ...fields }).filters;
}

function knownParameters(route: Route, dialect: Dialect): Parameters {
  const known = parameters.get(route) ?? parametersOf(dialect, route.declaration);
  parameters.set(route, known);
  return known;
}

export async function refuseBody({ dialect, request }: Exchange, bodies: BodyReader): Promise<void> {
  const { bytes, release } = await bodies.read(request.raw, defaultBodyLimit);
  try {
    if (bytes.length > 0) readBody(dialect.names, NoBody, parseBody(bytes));
  } finally {
    release();
  }
}

export function asJson(reply: HttpReply, value: object): string {
  reply.header('content-type', 'application/json; charset=utf-8');
  return JSON.stringify(value);
}
