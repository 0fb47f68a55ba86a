import type { EmailActivity } from '@posthorn/contracts';

export interface Subject {
  email: string;
  subscribed: boolean;
  createdAt: Date;
  updatedAt: Date;
  customFields: Record<string, unknown>;
  events: ReadonlyMap<string, Date>;
  activities: ReadonlyMap<EmailActivity, Date>;
  /** Confirmed ones only. */
  lists: ReadonlySet<string>;
  segments: ReadonlySet<string>;
}
