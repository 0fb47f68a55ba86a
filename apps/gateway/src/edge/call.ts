import type { Caller, IdempotencyClaim, PageQuery } from '@posthorn/contracts';

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
  idempotency?: IdempotencyClaim;
}
