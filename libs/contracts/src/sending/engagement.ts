import { query, request } from '../schema/contract.js';
import { EmailId } from './emails.js';
import { Choice, Count, Flag, Id, ListOf, Optional, Text } from '../schema/fields.js';

export const engagementKinds = ['OPEN', 'CLICK'] as const;
export type EngagementKind = (typeof engagementKinds)[number];

export const machineReasons = ['BOT', 'PREFETCH', 'HEAD', 'TOO_SOON'] as const;
export type MachineReason = (typeof machineReasons)[number];

export class Engagement {
  /** Created by the gateway, so that a repeated report counts once. */
  @Id() id: string;
  @Choice(engagementKinds) kind: EngagementKind;
  @Id() projectId: string;
  @Id() emailId: string;
  /** The recipient: 0 is `to`, followed by cc and bcc. */
  @Count({ max: 255 }) position: number;
  /** Age in milliseconds: an instant would depend on the clocks of services (docs/guarantees.md G22). */
  @Count() agoMs: number;
  @Text(1, 2048) @Optional() url?: string;
  @Text(0, 512) @Optional() userAgent?: string;
  @Flag() @Optional() head?: boolean;
}

/** Items may belong to different projects. */
export class RecordEngagement {
  @ListOf(() => Engagement, 1, 500) items: Engagement[];
}

export class RecordedEngagement {
  /** New items; items of unknown e-mails do not count. */
  @Count() recorded: number;
}

export class LinkClicks {
  @Text(1, 2048) url: string;
  @Count() clicks: number;
  @Count() uniqueClicks: number;
}

export class EmailLinks {
  @ListOf(() => LinkClicks, 0, 500) links: LinkClicks[];
}

export class RecordedUnsubscribe {
  /** False for one that was recorded before, and for an unknown e-mail. */
  @Flag() isNew: boolean;
}

export const engagement = {
  /** By its link; the opt-out itself is recorded by the contacts service. */
  unsubscribed: request('sending.engagement.unsubscribed', EmailId, RecordedUnsubscribe),
  record: request('sending.engagement.record', RecordEngagement, RecordedEngagement),
  links: query('sending.engagement.links', EmailId, EmailLinks),
};
