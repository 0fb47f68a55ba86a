import { defaultPageSize, maxPageSize, type JsonSchema } from '@posthorn/contracts';
import { dialects, dialectSchemas } from '../dialects/dialects.js';
import { parametersOf as namedParametersOf } from '../dialects/read-query.js';
import { defaultBodyLimit } from '../wire/bodies/body-reader.js';
import type { Route } from '../routes/route-table.js';
import { callersOf, projectParameter, scopesOf, successOf, type CallerKind } from '../routes/route.js';
import { headersOf } from './headers.js';
import { recorded } from './recorded.js';
import { refusalsOf } from './refusals.js';
import type { ShapeSchemas } from './shape-schemas.js';

const schemeOf: Readonly<Record<CallerKind, string>> = {
  SECRET: 'secretKey',
  PUBLIC: 'publicKey',
  SESSION: 'session',
  TOKEN: 'token',
  NOBODY: 'nobody',
};

/** Stable and unique, because generated clients use it as the function name. */
export function operationIdOf({ noun, name, surface }: Route): string {
  const operation = `${noun}${capitalised(name)}`;
  return surface === 'v1' ? operation : `legacy${capitalised(operation)}`;
}

const capitalised = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

export const tagOf = ({ noun, surface }: Route): string => (surface === 'v1' ? noun : legacyTag(noun));

export function operationOf(route: Route, schemas: ShapeSchemas): object {
  const { declaration, surface } = route;
  const callers = callersOf(declaration);
  return {
    operationId: operationIdOf(route),
    summary: declaration.summary,
    description: descriptionOf(route),
    tags: [tagOf(route)],
    security: callers.map((caller) =>
      caller === 'NOBODY' ? {} : { [schemeOf[caller]]: caller === 'TOKEN' ? [declaration.scope] : [] },
    ),
    'x-surface': surface,
    'x-scope': declaration.scope,
    ...(declaration.orScope ? { 'x-or-scope': declaration.orScope } : {}),
    'x-callers': callers,
    ...listed('parameters', [
      ...pathParametersOf(route),
      ...queryOf(route, schemas),
      ...(declaration.idempotent ? [idempotencyKey] : []),
      ...(declaration.streamed === 'live' ? [lastEventId] : []),
    ]),
    ...bodyOf(route, schemas),
    responses: { ...successResponsesOf(route, schemas), ...refused(route) },
  };
}

function descriptionOf({ declaration, method }: Route): string {
  const {
    roles,
    bodyLimit = defaultBodyLimit,
    body,
    idempotent,
    maxUploadBytes,
    whileDisabled,
  } = declaration;
  const sentences = [
    `Requires the scope ${scopesOf(declaration)
      .map((scope) => `\`${scope}\``)
      .join(' or ')}.`,
    roles ? `Signed-in users need the role ${roles.join(' or ')}.` : null,
    callersOf(declaration).includes('PUBLIC') ? 'Public keys may call it.' : null,
    body
      ? `${maxUploadBytes ? 'JSON' : 'The body'} is limited to ${bodyLimit} bytes; unknown fields are refused.`
      : null,
    maxUploadBytes
      ? `A table, sent as text/csv or as the file of a form, is limited to ${maxUploadBytes} bytes both as uploaded and uncompressed; it is processed as a stream.`
      : null,
    idempotent
      ? 'A repeat with the same `Idempotency-Key` and body gets the response of the first request.'
      : null,
    whileDisabled && method !== 'GET' ? 'Also works while the project is disabled.' : null,
  ];
  return sentences.filter((sentence) => sentence !== null).join(' ');
}

const likeUnknown = 'A malformed value gets the same response as an unknown one: 404';
const likeForeign = 'A malformed value gets the same response as an inaccessible project: 403';

const text = (format: string): object => ({ type: 'string', format });

const pathParametersOf = ({ projectInPath, ids, addresses, numbers }: Route): object[] => [
  ...(projectInPath ? [pathParameter(projectParameter, text('uuid'), likeForeign)] : []),
  ...ids.map((name) => pathParameter(name, text('uuid'), likeUnknown)),
  ...addresses.map((name) => pathParameter(name, text('email'), likeUnknown)),
  ...numbers.map((name) => pathParameter(name, { type: 'integer', minimum: 1 }, likeUnknown)),
];

const pathParameter = (name: string, schema: object, description: string): object => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
});

function queryOf({ declaration, surface }: Route, schemas: ShapeSchemas): object[] {
  const members = declaration.query ? schemas.parametersOf(surface, declaration.query) : {};
  return [...namedParametersOf(dialects[surface], declaration)].map(([name, parameter]) => {
    if (parameter === 'cursor')
      return queryParameter(
        name,
        { type: 'string', minLength: 1 },
        'The cursor of the previous page, with the same filters',
      );
    if (parameter === 'limit')
      return queryParameter(
        name,
        { type: 'integer', minimum: 1, maximum: maxPageSize, default: defaultPageSize },
        'Entries per page',
      );
    return queryParameter(name, members[parameter.dialectName]!, parameter.field.describe);
  });
}

const queryParameter = (name: string, schema: JsonSchema, description?: string): object => ({
  name,
  in: 'query',
  ...(description ? { description } : {}),
  ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
  schema,
});

const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'The id of the last event that was read: the stream resumes after it',
  schema: { type: 'string', minLength: 1 },
};

const idempotencyKey = { $ref: '#/components/parameters/IdempotencyKey' };

function bodyOf(route: Route, schemas: ShapeSchemas): object {
  const { declaration, surface } = route;
  if (!declaration.body) return {};
  const example = recorded.operations[operationIdOf(route)]?.request;
  const schema = schemas.refOf(surface, declaration.body, 'request');
  const asText =
    declaration.csvMember || declaration.maxUploadBytes ? { 'text/csv': { schema: { type: 'string' } } } : {};
  const asForm = declaration.maxUploadBytes ? { 'multipart/form-data': { schema: formWithFile } } : {};
  return {
    requestBody: {
      required: !declaration.mayBeEmpty,
      content: { 'application/json': { schema, ...(example ? { example } : {}) }, ...asText, ...asForm },
    },
  };
}

/** Query parameters may also be sent as form fields before the file. */
const formWithFile: JsonSchema = {
  type: 'object',
  properties: { file: { type: 'string', format: 'binary' } },
  additionalProperties: { type: 'string' },
  required: ['file'],
};

function successResponsesOf(route: Route, schemas: ShapeSchemas): Record<string, object> {
  const { declaration, surface } = route;
  const { statusOf, statusOfPartialFailure } = dialects[surface];
  const status = statusOf[successOf(declaration)];
  const example = recorded.operations[operationIdOf(route)]?.answer;
  const content = {
    ...(declaration.streamed === 'table' || declaration.streamed === 'live'
      ? {}
      : { 'application/json': { schema: replyOf(route, schemas), ...(example ? { example } : {}) } }),
    ...(declaration.alsoCsv || declaration.streamed === 'table'
      ? { 'text/csv': { schema: { type: 'string' } } }
      : {}),
    ...(declaration.streamed === 'events' || declaration.streamed === 'live'
      ? { 'text/event-stream': { schema: { type: 'string' } } }
      : {}),
    ...(declaration.alsoHtml ? { 'text/html': { schema: { type: 'string' } } } : {}),
  };
  const answer = (description: string, of: number) => ({
    description,
    headers: headersOf(surface, of),
    content,
  });
  const part =
    successOf(declaration) === 'batch'
      ? { [statusOfPartialFailure]: answer('Some entries failed', statusOfPartialFailure) }
      : {};
  return { [status]: answer(declaration.summary, status), ...part };
}

function replyOf({ declaration, surface, addresses }: Route, schemas: ShapeSchemas): JsonSchema {
  const { resource, deleted, entries, page } = dialectSchemas[surface];
  if (successOf(declaration) === 'deleted') return deleted(addresses.length > 0 ? 'email' : 'id');
  const reply = schemas.refOf(surface, declaration.reply, 'reply');
  if (successOf(declaration) === 'batch') return entries(reply);
  if (declaration.listed) return page(reply, declaration.listed, declaration);
  return declaration.bareOnLegacy ? reply : resource(reply);
}

const refused = (route: Route): Record<string, object> =>
  Object.fromEntries(
    refusalsOf(route).map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
  );

const listed = (name: string, entries: readonly object[]): object =>
  entries.length > 0 ? { [name]: entries } : {};

/** In the order of the specification; related resources follow theirs. */
const resources: readonly string[] = [
  ...['emails', 'engagement', 'events'],
  ...['contacts', 'imports', 'erasures'],
  ...['lists', 'segments', 'workflows', 'campaigns'],
  ...['templates', 'snippets', 'suppressions', 'domains', 'webhooks'],
  ...['projects', 'members', 'sessions', 'apiKeys', 'reveal', 'audit'],
  ...['mailboxes', 'analytics'],
];

const legacyPrefix = 'legacy ';

const legacyTag = (noun: string): string => legacyPrefix + noun;

export function inTagOrder(tags: Iterable<string>): string[] {
  return [...new Set(tags)].sort((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b));
}

function rankOf(tag: string): number {
  const isLegacy = tag.startsWith(legacyPrefix);
  const index = resources.indexOf(isLegacy ? tag.slice(legacyPrefix.length) : tag);
  return (isLegacy ? 1_000 : 0) + (index === -1 ? resources.length : index);
}
