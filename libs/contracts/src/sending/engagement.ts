import { request } from '../schema/contract.js';
import { EmailId } from './emails.js';
import { Choice, Count, Flag, Id, ListOf, Optional, Text } from '../schema/fields.js';

export const engagementKinds = ['OPEN', 'CLICK'] as const;
export type EngagementKind = (typeof engagementKinds)[number];

/** Why something is no person's doing: kept, and counted nowhere. */
export const machineReasons = ['BOT', 'PREFETCH', 'HEAD', 'TOO_SOON'] as const;
export type MachineReason = (typeof machineReasons)[number];

/** A pixel that was fetched or a link that was followed, as the gateway saw it. */
export class Engagement {
  /** Minted where it was seen: what is told twice counts once. */
  @Id() id: string;
  @Choice(engagementKinds) kind: EngagementKind;
  @Id() projectId: string;
  @Id() emailId: string;
  /** Whose copy: 0 is `to`, then come cc and bcc. */
  @Count({ max: 255 }) position: number;
  /** How long ago it was seen: the clocks of services decide nothing (docs/guarantees.md G22). */
  @Count() agoMs: number;
  @Text(1, 2048) @Optional() url?: string;
  @Text(0, 512) @Optional() userAgent?: string;
  /** It was only asked whether there is something. */
  @Flag() @Optional() head?: boolean;
}

/** Of many projects: each item names its own. */
export class RecordEngagement {
  @ListOf(() => Engagement, 1, 500) items: Engagement[];
}

export class RecordedEngagement {
  /** How many were new; those of unknown e-mails are none. */
  @Count() recorded: number;
}

/** One link of a message, and how often people followed it. */
export class LinkClicks {
  @Text(1, 2048) url: string;
  @Count() clicks: number;
  /** How many recipients followed it. */
  @Count() uniqueClicks: number;
}

export class EmailLinks {
  /** Most followed first. */
  @ListOf(() => LinkClicks, 0, 500) links: LinkClicks[];
}

export const engagement = {
  record: request('sending.engagement.record', RecordEngagement, RecordedEngagement),
  links: request('sending.engagement.links', EmailId, EmailLinks),
};
