import { Count, Flag, Id, Instant, Nested, Nullable, Optional } from '../schema/fields.js';

export const defaultPageSize = 20;
export const maxPageSize = 100;

/** In a list ordered by creation, newest first, ties by descending id. Clients see it signed and opaque. */
export class PagePosition {
  @Instant() at: Date;
  @Id() id: string;
}

export class PageQuery {
  @Count({ min: 1, max: maxPageSize, optional: true }) @Optional() limit?: number;
  @Nested(() => PagePosition) @Optional() after?: PagePosition;
  /** Also count the total; only for dialects that show it. */
  @Flag() @Optional() withTotal?: boolean;
}

export class PageEnd {
  @Flag() hasMore: boolean;
  @Nested(() => PagePosition) @Nullable() next: PagePosition | null;
  @Count() @Nullable() @Optional() total?: number | null;
  @Flag() @Optional() totalIsCapped?: boolean;
}
