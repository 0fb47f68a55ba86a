import type { Readable } from 'node:stream';
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { PageQuery, PagePosition } from '@posthorn/contracts';
import { GatewayConfig } from '../config.js';
import type { DomainPage } from '../dialects/dialect.js';
import { BodyReader } from '../wire/bodies/body-reader.js';
import { CsvTable, wantsCsv } from '../wire/bodies/csv.js';
import { asJson, routeRequestOf, handle, queryOf, refuseBody, type Exchange } from './exchange.js';
import { asCsv } from './stream-responder.js';
import { cursorOfAnotherSort, cursorOfOtherFilters, malformedCursor } from '../wire/errors.js';

@Injectable()
export class ListResponder {
  private readonly cursors: Cursors;

  constructor(
    private readonly bodies: BodyReader,
    config: GatewayConfig,
  ) {
    this.cursors = new Cursors(config.secretKey);
  }

  async serve(exchange: Exchange<'list'>): Promise<string | Readable> {
    const { declaration, dialect, request, reply } = exchange;
    await refuseBody(exchange, this.bodies);
    const { filters, limit, cursor } = queryOf(exchange);
    const scope = scopeOf(exchange, filters);
    const listPage: PageQuery = {
      ...(limit === undefined ? {} : { limit }),
      ...(cursor === undefined ? {} : { after: this.cursors.read(cursor, scope) }),
      ...(dialect.showsTotal(declaration.listed) ? { withTotal: true } : {}),
    };
    const read = {
      query: filters,
      listPage,
      wantsCsv: declaration.alsoCsv === true && wantsCsv(request.raw),
    };
    const result = await handle(exchange, routeRequestOf(exchange, read));
    if (result instanceof CsvTable) return asCsv(reply, result);
    const found = result as DomainPage;
    const next = found.next ? this.cursors.write(found.next, scope) : null;
    return asJson(reply, dialect.page(declaration.reply, found, next, declaration.listed));
  }
}

function scopeOf({ route, admission, request }: Exchange<'list'>, filters: object): CursorScope {
  const named = [...route.ids, ...route.addresses, ...route.numbers].map((name) => [
    `:${name}`,
    (request.params as Record<string, string>)[name]!.toLowerCase(),
  ]);
  return {
    route: `${route.method} ${route.path}`,
    surface: route.surface,
    projectId: admission.caller.projectId,
    sort: 'created_at desc, id desc',
    // What the path names is a filter, too: a cursor of one campaign is none of another.
    filters: { ...filters, ...Object.fromEntries(named) },
  };
}

/** A cursor is valid for this scope only (docs/api-decisions.md §1). */
export interface CursorScope {
  route: string;
  surface: string;
  projectId: string;
  sort: string;
  filters: Readonly<Record<string, unknown>>;
}

// version 1 | instant 8 | id 16 | sort 4 | filters 8 | HMAC 16
const version = 1;
const sortAt = 25;
const filtersAt = 29;
const macAt = 37;
const length = 53;

export class Cursors {
  private readonly key: Buffer;

  constructor(secretKey: string) {
    this.key = createHmac('sha256', secretKey).update('posthorn:cursor').digest();
  }

  write({ at, id }: PagePosition, scope: CursorScope): string {
    const bytes = Buffer.alloc(length);
    bytes.writeUInt8(version, 0);
    bytes.writeBigInt64BE(BigInt(at.getTime()), 1);
    bytes.write(id.replaceAll('-', ''), 9, 'hex');
    digest(scope.sort).copy(bytes, sortAt, 0, filtersAt - sortAt);
    digestOfFilters(scope).copy(bytes, filtersAt, 0, macAt - filtersAt);
    this.mac(bytes).copy(bytes, macAt, 0, length - macAt);
    return bytes.toString('base64url');
  }

  read(cursor: string, scope: CursorScope): PagePosition {
    const bytes = Buffer.from(cursor, 'base64url');
    // base64url decoding is lenient, so only the canonical encoding is accepted.
    const whole = bytes.length === length && bytes.toString('base64url') === cursor && bytes[0] === version;
    if (!whole || !timingSafeEqual(this.mac(bytes).subarray(0, length - macAt), bytes.subarray(macAt)))
      throw malformedCursor();
    if (!same(bytes, sortAt, filtersAt, digest(scope.sort))) throw cursorOfAnotherSort();
    if (!same(bytes, filtersAt, macAt, digestOfFilters(scope))) throw cursorOfOtherFilters();
    return { at: new Date(Number(bytes.readBigInt64BE(1))), id: uuidOf(bytes.subarray(9, sortAt)) };
  }

  private mac(bytes: Buffer): Buffer {
    return createHmac('sha256', this.key).update(bytes.subarray(0, macAt)).digest();
  }
}

function digestOfFilters({ route, surface, projectId, filters }: CursorScope): Buffer {
  const entries = Object.entries(filters).filter(([, value]) => value !== undefined);
  return digest(JSON.stringify([route, surface, projectId, entries.sort(([a], [b]) => (a < b ? -1 : 1))]));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const same = (bytes: Buffer, from: number, to: number, expected: Buffer): boolean =>
  bytes.subarray(from, to).equals(expected.subarray(0, to - from));

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
