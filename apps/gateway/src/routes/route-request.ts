import type { Caller, IdempotentRequest, PageQuery, Scope } from '@posthorn/contracts';
import type { Upload } from '../wire/bodies/upload.js';

/** An entry of a batch that could not be read. */
export interface RefusedEntry {
  index: number;
  message: string;
}

export interface BatchResults {
  /** One for each entry of the request, in its order. */
  items: object[];
  someFailed: boolean;
}

export type Surface = 'v1' | 'legacy';
export const surfaces: readonly Surface[] = ['v1', 'legacy'];

export interface RouteRequest<Body = object, Query = object> {
  surface: Surface;
  caller: Caller;
  sessionId?: string;
  /** What the credential allows in the project. */
  scopes: ReadonlySet<Scope>;
  params: Readonly<Record<string, string>>;
  body: Body;
  query: Query;
  listPage: PageQuery;
  wantsHtml: boolean;
  /** A preview or an unconfirmed visit, which must not change anything. */
  isReadOnly: boolean;
  wantsCsv: boolean;
  wantsEvents: boolean;
  /** Of a live stream, where the reader resumes. */
  lastEventId?: string;
  /** The table of an upload route, unless its body is JSON. */
  upload?: Upload;
  idempotency?: IdempotentRequest;
  /** For a batch: the index of each accepted entry, and the refused ones. */
  entries?: { requestIndexes: readonly number[]; refused: readonly RefusedEntry[] };
}
