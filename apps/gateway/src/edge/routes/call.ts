import type { Caller, IdempotencyClaim, PageQuery } from '@posthorn/contracts';
import type { RefusedEntry } from '../../dialects/read-entries.js';
import type { Upload } from '../bodies/upload.js';

/** The answer to a batch, entry by entry; `partly` where some failed. */
export interface Entries {
  items: object[];
  partly: boolean;
}

export type Surface = 'v1' | 'legacy';
export const surfaces: readonly Surface[] = ['v1', 'legacy'];

/** What a controller sees: who asks, and the request read, checked and in the domain's names. */
export interface Call<Body = object, Query = object> {
  surface: Surface;
  caller: Caller;
  /** Of a person who is signed in. */
  sessionId?: string;
  params: Readonly<Record<string, string>>;
  body: Body;
  query: Query;
  /** Empty where the route has no pages. */
  page: PageQuery;
  /** A page is to be answered, as an HtmlPage; only on routes that have pages. */
  wantsPage: boolean;
  /** Nothing may change yet, though the route would change something; only on routes that have pages. */
  onlyLooks: boolean;
  /** All of it is to be answered, as a CsvTable; only on routes that are tabled. */
  wantsTable: boolean;
  /** Its states are to be answered, as an EventStream; only on routes that are followed. */
  wantsEvents: boolean;
  /** A table in place of a body; only on routes that stream, and there unless the body is JSON. */
  upload?: Upload;
  idempotency?: IdempotencyClaim;
  /** Of a body whose entries stand for themselves: where each stood, and which were refused. */
  entries?: { positions: readonly number[]; refused: readonly RefusedEntry[] };
}
