import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { isUuid, normaliseAddress, outcomeUnknown, type PageQuery } from '@posthorn/contracts';
import { actFor, CallFailed } from '@posthorn/messaging';
import { GatewayConfig } from '../../config.js';
import type { Dialect, DomainPage, Named } from '../../dialects/dialect.js';
import { dialects } from '../../dialects/dialects.js';
import { readBody } from '../../dialects/read-body.js';
import { readEntries } from '../../dialects/read-entries.js';
import { parametersOf, readQuery, type Parameters } from '../../dialects/read-query.js';
import type { Admission, Counted } from '../../identity/credential.js';
import { Guard } from '../../identity/guard.js';
import { drawn, pageHeaders } from '../../pages/page-look.js';
import { allowanceHeaders, isExceeded } from '../../rate-limit/allowance.js';
import { RateLimiter } from '../../rate-limit/rate-limiter.js';
import { BodyReader, defaultBodyLimit, jsonType, tableType, type HeldBody } from '../bodies/body-reader.js';
import type { Call, Entries } from './call.js';
import { EventStream, wantsEvents } from './event-stream.js';
import { CsvTable, isCsv, readCsv, wantsCsv } from '../bodies/csv.js';
import { Cursors, type CursorScope } from './cursor.js';
import { rateLimited } from '../http/edge-errors.js';
import { clientOf, type HttpReply, type HttpRequest } from '../http/fastify.js';
import { headerValues } from '../http/header-values.js';
import { HtmlPage, onlyLooks, wantsPage } from '../http/html-page.js';
import { claimOf } from './idempotency.js';
import { parseBody } from '../bodies/parse-body.js';
import { outcomeOf, type RouteDeclaration, type Handler } from './route.js';
import type { Route } from './route-table.js';
import { StreamedResource } from './streamed.js';
import { isUpload, openUpload, type Upload } from '../bodies/upload.js';

class Nothing {}

/** Keys and elements of a body of many messages (docs/guarantees.md §1.5). */
const maxMembersOfBatch = 200_000;

/** A write that may have reached its service may have happened: that it did not would be a promise (docs/api-decisions.md §1). Sends settle it themselves. */
function openOutcome({ method, sends }: Route, error: unknown): never {
  const reached = error instanceof CallFailed && error.reached && method !== 'GET' && !sends;
  throw reached ? outcomeUnknown() : error;
}

/** A call as its controller sees it, and what its answer needs. */
interface ReadCall {
  call: Call;
  cursorScope: CursorScope | null;
}

/** What every request goes through, in this order; whatever fails is thrown, and answered by Failures. */
@Injectable()
export class RequestPipeline {
  private readonly cursors: Cursors;
  private readonly parameters = new Map<Route, Parameters>();

  constructor(
    config: GatewayConfig,
    private readonly guard: Guard,
    private readonly limiter: RateLimiter,
    private readonly bodies: BodyReader,
  ) {
    this.cursors = new Cursors(config.secretKey);
  }

  async serve(
    route: Route,
    handler: Handler,
    request: HttpRequest,
    reply: HttpReply,
  ): Promise<string | Readable> {
    const dialect = dialects[route.surface];
    const admission = await this.guard.admit(route, request);
    if (this.limiter.enabled && admission.counted) await this.limit(admission.counted, dialect, reply);
    this.refuseForeignIds(route, request);
    const body = await this.bodyOf(route, dialect, request);
    try {
      const { call, cursorScope } = this.read(route, dialect, admission, request, body);
      const result = await actFor(call.caller, () => handler(call)).catch((error: unknown) =>
        openOutcome(route, error),
      );
      if (result instanceof HtmlPage) {
        reply.headers(pageHeaders).statusCode = result.shown.status ?? 200;
        return drawn(result.shown);
      }
      if (result instanceof CsvTable) {
        reply.header('content-type', 'text/csv; charset=utf-8');
        return result.stream();
      }
      if (result instanceof EventStream) {
        reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
        return result.stream((state) => dialect.resource(route.declaration.reply, state));
      }
      reply.statusCode = statusOf(route, dialect, result);
      reply.header('content-type', 'application/json; charset=utf-8');
      if (result instanceof StreamedResource)
        return result.stream((value) => dialect.resource(route.declaration.reply, value));
      return JSON.stringify(this.written(route, dialect, result, cursorScope));
    } finally {
      body.release();
    }
  }

  private async limit(counted: Counted, dialect: Dialect, reply: HttpReply): Promise<void> {
    const allowance = await this.limiter.take(counted);
    reply.headers(allowanceHeaders(allowance, dialect.surface));
    if (isExceeded(allowance)) throw rateLimited(allowance.resetIn);
  }

  /** A malformed id is nobody's: it answers like a stranger's, and never reaches SQL. An address is read as everywhere. */
  private refuseForeignIds({ ids, addresses, declaration }: Route, request: HttpRequest): void {
    const params = request.params as Record<string, string>;
    for (const name of ids) if (!isUuid(params[name] ?? '')) throw declaration.missing!();
    for (const name of addresses) {
      const address = normaliseAddress(params[name] ?? '');
      if (address === null) throw declaration.missing!();
      params[name] = address;
    }
  }

  /** What is not kept in memory goes on as it comes; what its reader leaves of it is taken from the socket afterwards. */
  private async bodyOf(
    route: Route,
    dialect: Dialect,
    { raw }: HttpRequest,
  ): Promise<HeldBody & { upload?: Upload }> {
    const { streams, query, bodyLimit = defaultBodyLimit } = route.declaration;
    if (!streams || !isUpload(raw)) return this.bodies.read(raw, bodyLimit, typeOf(route));
    // A reader that stopped in the middle still listens, and nothing would flow.
    const release = () => void raw.removeAllListeners('readable').resume();
    try {
      const readOptions = (fields: object) =>
        readQuery(this.parametersOf(route, dialect), query, { ...fields }).filters;
      return { bytes: Buffer.alloc(0), upload: await openUpload(raw, streams, readOptions), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  private read(
    route: Route,
    dialect: Dialect,
    { caller, sessionId }: Admission,
    request: HttpRequest,
    { bytes, upload }: { bytes: Buffer; upload?: Upload },
  ): ReadCall {
    const { declaration, surface } = route;
    const { filters, limit, cursor } = readQuery(
      this.parametersOf(route, dialect),
      declaration.query,
      request.query as Record<string, unknown>,
    );
    const cursorScope = declaration.paged
      ? {
          route: declaredPath(route),
          surface,
          projectId: caller.projectId,
          sort: 'created_at desc, id desc',
          filters: filters as Record<string, unknown>,
        }
      : null;
    const page: PageQuery = cursorScope ? this.page(dialect, route, limit, cursor, cursorScope) : {};
    const plain = upload ? {} : plainOf(declaration, request, bytes);
    const { body, ...read } = upload
      ? { body: {} }
      : declaration.eachOf
        ? readEntries(dialect.names, declaration.body!, plain, declaration.eachOf)
        : { body: readBody(dialect.names, declaration.body ?? Nothing, plain) };
    const entries = 'positions' in read ? { entries: read } : {};
    const params = request.params as Record<string, string>;
    const keys = headerValues(request.raw.rawHeaders, 'idempotency-key');
    const idempotency = declaration.idempotent ? claimOf(route, keys, params, plain) : undefined;
    const requested = {
      surface,
      caller: { ...caller, ...clientOf(request) },
      sessionId,
      params,
      body,
      query: { ...filters, ...upload?.options },
      upload,
    };
    return {
      call: {
        ...requested,
        page,
        ...formOf(declaration, request),
        idempotency,
        ...entries,
      },
      cursorScope,
    };
  }

  private parametersOf(route: Route, dialect: Dialect): Parameters {
    const known = this.parameters.get(route) ?? parametersOf(dialect, route.declaration);
    this.parameters.set(route, known);
    return known;
  }

  private page(
    dialect: Dialect,
    { declaration }: Route,
    limit: number | undefined,
    cursor: string | undefined,
    scope: CursorScope,
  ): PageQuery {
    return {
      ...(limit === undefined ? {} : { limit }),
      ...(cursor === undefined ? {} : { after: this.cursors.read(cursor, scope) }),
      ...(dialect.showsTotal(declaration.paged!) ? { withTotal: true } : {}),
    };
  }

  private written(
    { declaration }: Route,
    dialect: Dialect,
    result: object,
    cursorScope: CursorScope | null,
  ): object {
    if (cursorScope) {
      const page = result as DomainPage;
      const next = page.next ? this.cursors.write(page.next, cursorScope) : null;
      return dialect.page(declaration.reply, page, next, declaration.paged!);
    }
    if (outcomeOf(declaration) === 'batch')
      return dialect.entries(declaration.reply, (result as Entries).items);
    if (outcomeOf(declaration) === 'deleted') return dialect.deleted(result as Named);
    return declaration.bareOnLegacy
      ? dialect.bare(declaration.reply, result)
      : dialect.resource(declaration.reply, result);
  }
}

const statusOf = ({ declaration }: Route, dialect: Dialect, result: object): number =>
  outcomeOf(declaration) === 'batch' && (result as Entries).partly
    ? dialect.statusOfPart
    : dialect.statusOf[outcomeOf(declaration)];

const typeOf = ({ declaration }: Route): RegExp => (declaration.textAs ? tableType : jsonType);

function plainOf({ body, textAs, eachOf }: RouteDeclaration, { raw }: HttpRequest, bytes: Buffer): object {
  if (textAs && isCsv(raw)) return readCsv(bytes, textAs);
  return bytes.length > 0 || body ? parseBody(bytes, eachOf ? maxMembersOfBatch : undefined) : {};
}

/** What the client wants in place of JSON, where the route has it. */
function formOf(
  { pages, tabled, followed }: RouteDeclaration,
  { raw, query }: HttpRequest,
): Pick<Call, 'wantsPage' | 'onlyLooks' | 'wantsTable' | 'wantsEvents'> {
  return {
    wantsPage: pages === true && wantsPage(raw),
    onlyLooks: pages === true && onlyLooks(raw, (query as { confirm?: unknown }).confirm === '1'),
    wantsTable: tabled === 'always' || (tabled === true && wantsCsv(raw)),
    wantsEvents: followed === true && wantsEvents(raw),
  };
}

const declaredPath = ({ method, path }: Route): string => `${method} ${path}`;
