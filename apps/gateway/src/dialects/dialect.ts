import type { DomainError, ErrorKind, PageQuery, Shape } from '@posthorn/contracts';
import type { Surface } from '../edge/routes/call.js';
import type { LegacyPage, Outcome } from '../edge/routes/route.js';
import type { ShapeNames } from './shape-names.js';

/** A page as services answer it. */
export interface DomainPage {
  items: object[];
  hasMore: boolean;
  next: PageQuery['after'] | null;
  total?: number | null;
  totalIsCapped?: boolean;
  /** How many more there are of people who were erased. */
  erased?: number;
}

/** What something is called by: its id, or the address that it stands for. */
export type Named = { id: string } | { email: string };

export interface ErrorContext {
  /** The path of the request, without its query. */
  instance: string;
  requestId: string;
  /** What the request's body or query is read as: its names are those of the failures. */
  shape?: Shape;
  /** Names that the query has on the legacy surface only. */
  queryNames?: Readonly<Record<string, string>>;
  docsUrl: string;
}

/** One way to say the domain over HTTP. Nothing beyond these files knows names, envelopes or status codes. */
export interface Dialect {
  readonly surface: Surface;
  readonly names: ShapeNames;
  /** The query parameter that carries a cursor. */
  readonly cursorParameter: string;
  /** Whether a list of this envelope comes page by page. */
  hasPages(envelope: LegacyPage): boolean;
  /** Whether a page of this envelope shows how many rows there are. */
  showsTotal(envelope: LegacyPage): boolean;
  readonly statusOf: Readonly<Record<Outcome, number>>;
  /** Of a batch of which some entries failed. */
  readonly statusOfPart: number;
  resource(shape: Shape, value: object): object;
  /** A resource in no envelope, whatever the dialect. */
  bare(shape: Shape, value: object): object;
  deleted(value: Named): object;
  /** A list that is answered whole, in the order of the question. */
  entries(shape: Shape, items: readonly object[]): object;
  page(shape: Shape, page: DomainPage, next: string | null, envelope: LegacyPage): object;
  readonly errorType: string;
  error(error: DomainError, context: ErrorContext): object;
}

/** The only place where a failure has a number. */
export const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  malformed: 400,
  invalid: 422,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  wrong_method: 405,
  gone: 410,
  conflict: 409,
  too_large: 413,
  wrong_media_type: 415,
  rate_limited: 429,
  unavailable: 503,
  timeout: 503,
  internal: 500,
};
