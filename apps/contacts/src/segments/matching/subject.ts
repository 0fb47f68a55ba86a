import type { EmailActivity } from '@posthorn/contracts';

/** One contact with the data that conditions refer to. */
export interface Subject {
  email: string;
  subscribed: boolean;
  createdAt: Date;
  updatedAt: Date;
  customFields: Record<string, unknown>;
  /** When each event last happened. */
  events: ReadonlyMap<string, Date>;
  activities: ReadonlyMap<EmailActivity, Date>;
  /** Confirmed ones only. */
  lists: ReadonlySet<string>;
  segments: ReadonlySet<string>;
}
