import { Count, Flag, Id, Instant, Nested, Nullable, Optional } from '../schema/fields.js';

export const defaultPageSize = 20;
export const maxPageSize = 100;

/** A place in a list that is ordered by creation, newest first, ties by id, descending. Opaque to clients: the gateway signs it. */
export class PagePosition {
  @Instant() at: Date;
  @Id() id: string;
}

/** The members that every paged question has. */
export class PageQuery {
  @Count({ min: 1, max: maxPageSize, optional: true }) @Optional() limit?: number;
  @Nested(() => PagePosition) @Optional() after?: PagePosition;
  /** Ask for the total too: only where the dialect shows it. */
  @Flag() @Optional() withTotal?: boolean;
}

/** The members that every page has besides its items. */
export class PageEnd {
  @Flag() hasMore: boolean;
  @Nested(() => PagePosition) @Nullable() next: PagePosition | null;
  @Count() @Nullable() @Optional() total?: number | null;
  @Flag() @Optional() totalIsCapped?: boolean;
}
