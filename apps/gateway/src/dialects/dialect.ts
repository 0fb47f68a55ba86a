import type { DomainError, ErrorKind, PageQuery, Shape } from '@posthorn/contracts';
import type { Surface } from '../routes/route-request.js';
import type { LegacyList, Success } from '../routes/route.js';
import type { ShapeNames } from './shape-names.js';

export interface DomainPage {
  items: object[];
  hasMore: boolean;
  next: PageQuery['after'] | null;
  total?: number | null;
  totalIsCapped?: boolean;
  /** One that both surfaces show. */
  exactTotal?: number;
  erased?: number;
}

export type Named = { id: string } | { email: string };

export interface ErrorContext {
  instance: string;
  requestId: string;
  /** The shape of the request; errors use its names. */
  shape?: Shape;
  /** Query names that exist on the legacy surface only. */
  queryNames?: Readonly<Record<string, string>>;
  docsUrl: string;
}

/** How one API surface maps results to HTTP. Names, envelopes and status codes exist only in these files. */
export interface Dialect {
  readonly surface: Surface;
  readonly names: ShapeNames;
  readonly cursorParameter: string;
  hasPages(envelope: LegacyList): boolean;
  showsTotal(envelope: LegacyList): boolean;
  readonly statusOf: Readonly<Record<Success, number>>;
  /** For a batch in which some entries failed. */
  readonly statusOfPartialFailure: number;
  resource(shape: Shape, value: object): object;
  bare(shape: Shape, value: object): object;
  deleted(value: Named): object;
  entries(shape: Shape, items: readonly object[]): object;
  page(shape: Shape, page: DomainPage, next: string | null, envelope: LegacyList): object;
  readonly errorType: string;
  error(error: DomainError, context: ErrorContext): object;
}

/** The only place that maps failures to status codes. */
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
  timeout: 504,
  internal: 500,
};
