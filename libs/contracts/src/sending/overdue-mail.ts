import { query, request } from '../schema/contract.js';
import { Count, Id, Instant, ListOf, Nullable, Optional } from '../schema/fields.js';

/** Held after an outage or a restore (docs/guarantees.md G24); of all projects where none is named. */
export class SelectHeldMail {
  @Id() @Optional() projectId?: string;
}

export class HeldMailOfProject {
  @Id() projectId: string;
  @Count() count: number;
  @Instant() oldestDueAt: Date;
}

export class HeldMail {
  /** Counted up to 10 000. */
  @Count() count: number;
  /** When the oldest of them was due; null where none is held. */
  @Instant() @Nullable() oldestDueAt: Date | null;
  /** The first thousand, by id. */
  @ListOf(() => HeldMailOfProject, 0, 1_000) projects: HeldMailOfProject[];
}

export class ChangedHeldMail {
  @Count() changed: number;
  /** Still held, up to 10 000; repeat the request until there are none. */
  @Count() left: number;
}

export const overdueMail = {
  held: query('sending.overdue_mail.held', SelectHeldMail, HeldMail),
  /** One batch: sent as soon as possible, within a new day. */
  release: request('sending.overdue_mail.release', SelectHeldMail, ChangedHeldMail),
  /** One batch: FAILED with the reason `expired`. */
  drop: request('sending.overdue_mail.drop', SelectHeldMail, ChangedHeldMail),
};
