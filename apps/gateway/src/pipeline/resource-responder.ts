import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Base64Text, writeJson, type Caller, type IdempotentRequest } from '@posthorn/contracts';
import type { Dialect, Named } from '../dialects/dialect.js';
import { readBody } from '../dialects/read-body.js';
import { readEntries } from '../dialects/read-entries.js';
import { renderPage, pageHeaders } from '../pages/page-look.js';
import { BodyReader, defaultBodyLimit, jsonType, tableType } from '../wire/bodies/body-reader.js';
import { CsvTable, isCsv, readCsv, wantsCsv } from '../wire/bodies/csv.js';
import { parseBody } from '../wire/bodies/parse-body.js';
import { headerValues, isReadOnly, wantsHtml } from '../wire/headers.js';
import { HtmlPage } from '../pages/page.js';
import type { RouteRequest, BatchResults } from '../routes/route-request.js';
import { asJson, routeRequestOf, handle, NoBody, queryOf, type Exchange, optionsOf } from './exchange.js';
import { asCsv } from './stream-responder.js';
import { successOf, type RouteKinds } from '../routes/route.js';
import { idempotencyKeyLength } from '../wire/errors.js';
import type { Route } from '../routes/route-table.js';
import { isUpload, openUpload } from '../wire/bodies/upload.js';

/** Keys and elements of a body of many messages (docs/guarantees.md §1.5). */
const maxMembersOfBatch = 200_000;

type Resource = Exchange<'resource' | 'upload'>;

@Injectable()
export class ResourceResponder {
  constructor(private readonly bodies: BodyReader) {}

  async serve(exchange: Resource): Promise<string | Readable> {
    const { declaration, dialect, request, reply, admission } = exchange;
    const { bodyLimit = defaultBodyLimit, csvMember } = declaration;
    const { bytes, release } = await this.bodies.read(
      request.raw,
      bodyLimit,
      csvMember ? tableType : jsonType,
      admission.caller.projectId,
    );
    try {
      const result = await handle(exchange, read(exchange, bytes));
      if (result instanceof CsvTable) return asCsv(reply, result);
      if (result instanceof HtmlPage) {
        reply.headers(pageHeaders).statusCode = result.shown.status ?? 200;
        return renderPage(result.shown);
      }
      reply.statusCode = statusOf(declaration, dialect, result);
      return asJson(reply, replyBody(declaration, dialect, result));
    } finally {
      release();
    }
  }
}

function read(exchange: Resource, bytes: Buffer): RouteRequest {
  const { route, declaration, dialect, request } = exchange;
  const { filters } = queryOf(exchange);
  const parsed = parsedBodyOf(exchange, bytes);
  const { body, ...entries } = declaration.batchField
    ? readEntries(dialect.names, declaration.body!, parsed, declaration.batchField)
    : { body: readBody(dialect.names, declaration.body ?? NoBody, parsed) };
  const keys = headerValues(request.raw.rawHeaders, 'idempotency-key');
  return routeRequestOf(exchange, {
    body,
    query: filters,
    ...('requestIndexes' in entries ? { entries } : {}),
    ...(declaration.idempotent
      ? {
          idempotency: idempotencyOf(
            exchange.admission.caller,
            route,
            keys,
            request.params as Record<string, string>,
            parsed,
          ),
        }
      : {}),
    wantsCsv: declaration.alsoCsv === true && wantsCsv(request.raw),
    ...(declaration.alsoHtml
      ? {
          wantsHtml: wantsHtml(request.raw),
          isReadOnly: isReadOnly(request.raw, isConfirmed(request)),
        }
      : {}),
  });
}

const isConfirmed = ({ query }: Resource['request']): boolean =>
  (query as { confirm?: unknown }).confirm === '1';

function parsedBodyOf({ declaration, request: { raw } }: Resource, bytes: Buffer): object {
  const { body, csvMember, batchField, mayBeEmpty } = declaration;
  if (csvMember && isCsv(raw)) return readCsv(bytes, csvMember);
  return bytes.length > 0 || (body && !mayBeEmpty)
    ? parseBody(bytes, batchField ? maxMembersOfBatch : undefined)
    : {};
}

type Declaration = RouteKinds['resource' | 'upload'];

const statusOf = (declaration: Declaration, dialect: Dialect, result: object): number =>
  successOf(declaration) === 'batch' && (result as BatchResults).someFailed
    ? dialect.statusOfPartialFailure
    : dialect.statusOf[successOf(declaration)];

function replyBody(declaration: Declaration, dialect: Dialect, result: object): object {
  const { reply, bareOnLegacy } = declaration;
  if (successOf(declaration) === 'batch') return dialect.entries(reply, (result as BatchResults).items);
  if (successOf(declaration) === 'deleted') return dialect.deleted(result as Named);
  return bareOnLegacy ? dialect.bare(reply, result) : dialect.resource(reply, result);
}

const maxKey = 255;

export function idempotencyOf(
  caller: Pick<Caller, 'isPublic' | 'mode'>,
  route: Pick<Route, 'method' | 'path' | 'ids'>,
  headers: string[],
  params: Readonly<Record<string, string>>,
  body: unknown,
): IdempotentRequest | undefined {
  if (headers.length === 0) return undefined;
  const [key] = headers;
  if (headers.length > 1 || key!.length < 1 || key!.length > maxKey) throw idempotencyKeyLength();
  // The same key for another resource is another request, so the path parameters are hashed with the body.
  const named = route.ids.map((name) => params[name]!.toLowerCase());
  const requested = named.length > 0 ? [named, body] : body;
  return { key: key!, operation: operationOf(caller, route), bodyHash: hashOf(requested) };
}

/** A visitor who claims a key of the shop's server, or tests that do, must not decide what its own request is answered. */
function operationOf(
  { isPublic, mode }: Pick<Caller, 'isPublic' | 'mode'>,
  { method, path }: Pick<Route, 'method' | 'path'>,
): string {
  const kind = [...(mode === 'TEST' ? ['test'] : []), ...(isPublic ? ['public'] : [])];
  return [...kind, method, path].join(' ');
}

function hashOf(requested: unknown): string {
  const hash = createHash('sha256');
  for (const piece of writeJson(() => canonicalJson(requested))) hash.update(piece);
  return hash.digest('hex');
}

export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null || value instanceof Base64Text)
    return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

@Injectable()
export class UploadResponder {
  constructor(private readonly resources: ResourceResponder) {}

  async serve(exchange: Exchange<'upload'>): Promise<string | Readable> {
    const { declaration, dialect, reply } = exchange;
    const { raw } = exchange.request;
    if (!isUpload(raw)) return this.resources.serve(exchange);
    try {
      const upload = await openUpload(raw, declaration.maxUploadBytes, (fields) =>
        optionsOf(exchange, fields),
      );
      const query = { ...queryOf(exchange).filters, ...upload.options };
      const result = await handle(exchange, routeRequestOf(exchange, { query, upload }));
      reply.statusCode = statusOf(declaration, dialect, result);
      return asJson(reply, replyBody(declaration, dialect, result));
    } finally {
      // The rest is read from the socket, or the next request on the connection would never be.
      raw.removeAllListeners('readable').resume();
    }
  }
}
