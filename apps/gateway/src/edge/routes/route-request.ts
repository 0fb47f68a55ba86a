import type { Caller, IdempotentRequest, PageQuery } from '@posthorn/contracts';
import type { RefusedEntry } from '../../dialects/read-entries.js';
import type { Upload } from '../bodies/upload.js';

/** The results of a batch, entry by entry; `partly` if some failed. */
export interface Entries {
  items: object[];
  partly: boolean;
}

export type Surface = 'v1' | 'legacy';
export const surfaces: readonly Surface[] = ['v1', 'legacy'];

export interface RouteRequest<Body = object, Query = object> {
  surface: Surface;
  caller: Caller;
  /** Set if the caller is a signed-in person. */
  sessionId?: string;
  params: Readonly<Record<string, string>>;
  body: Body;
  query: Query;
  /** Empty unless the route is a page. */
  page: PageQuery;
  wantsPage: boolean;
  /** A preview or an unconfirmed visit, which must not change anything. */
  changesNothing: boolean;
  wantsTable: boolean;
  wantsEvents: boolean;
  /** The table of an upload route, unless its body is JSON. */
  upload?: Upload;
  idempotency?: IdempotentRequest;
  /** For a batch: the index of each accepted entry, and the refused ones. */
  entries?: { requestIndexes: readonly number[]; refused: readonly RefusedEntry[] };
}
