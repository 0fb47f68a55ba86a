import type { EmailActivity } from '@posthorn/contracts';

/** One contact with all that a condition may ask of it. */
export interface Subject {
  /** In lower case, as it is stored. */
  email: string;
  subscribed: boolean;
  createdAt: Date;
  updatedAt: Date;
  customFields: Record<string, unknown>;
  /** When each event happened last. */
  events: ReadonlyMap<string, Date>;
  activities: ReadonlyMap<EmailActivity, Date>;
  /** Those that it confirmed. */
  lists: ReadonlySet<string>;
  segments: ReadonlySet<string>;
}
