import { Injectable } from '@nestjs/common';
import type { Dialect, Named } from '../dialects/dialect.js';
import { readBody } from '../dialects/read-body.js';
import { readEntries } from '../dialects/read-entries.js';
import { renderPage, pageHeaders } from '../pages/page-look.js';
import { BodyReader, defaultBodyLimit, jsonType, tableType } from '../wire/bodies/body-reader.js';
import { isCsv, readCsv } from '../wire/bodies/csv.js';
import { parseBody } from '../wire/bodies/parse-body.js';
import { headerValues } from '../wire/header-values.js';
import { HtmlPage } from '../pages/page.js';
import { isReadOnly, wantsHtml } from '../wire/html-requests.js';
import type { RouteRequest, BatchResults } from '../routes/route-request.js';
import { asJson, routeRequestOf, handle, NoBody, queryOf, type Exchange } from './exchange.js';
import { idempotencyOf } from './idempotency.js';
import { successOf, type RouteKinds } from '../routes/route.js';

/** Keys and elements of a body of many messages (docs/guarantees.md §1.5). */
const maxMembersOfBatch = 200_000;

type Resource = Exchange<'resource' | 'upload'>;

@Injectable()
export class ResourceResponder {
  constructor(private readonly bodies: BodyReader) {}

  async serve(exchange: Resource): Promise<string> {
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

export const statusOf = (declaration: Declaration, dialect: Dialect, result: object): number =>
  successOf(declaration) === 'batch' && (result as BatchResults).someFailed
    ? dialect.statusOfPartialFailure
    : dialect.statusOf[successOf(declaration)];

export function replyBody(declaration: Declaration, dialect: Dialect, result: object): object {
  const { reply, bareOnLegacy } = declaration;
  if (successOf(declaration) === 'batch') return dialect.entries(reply, (result as BatchResults).items);
  if (successOf(declaration) === 'deleted') return dialect.deleted(result as Named);
  return bareOnLegacy ? dialect.bare(reply, result) : dialect.resource(reply, result);
}
