import { event, query, request } from '../schema/contract.js';
import { Choice, Count, Id, Instant, Nested, Nullable, Optional, Text } from '../schema/fields.js';
import { sourceTypes } from './email-status.js';
import { JoinFields, PickFields } from '../schema/shapes.js';

/** MONTHLY and DAILY bound all mail of a project, the others that of one source in a month (UTC). */
export const usageLimits = ['MONTHLY', 'DAILY', ...sourceTypes] as const;
export type UsageLimit = (typeof usageLimits)[number];

/** At a limit a message fails as `quota_exhausted`, or waits for the next day or month, for 32 days at most. */
export const whenExhaustedChoices = ['FAIL', 'HOLD'] as const;
export type WhenExhausted = (typeof whenExhaustedChoices)[number];

/** Self-hosted: no plan but the limits that the operator sets. */
export const plans = ['SELF_HOSTED'] as const;
export const trustTiers = ['UNLIMITED', 'LIMITED'] as const;

/** Messages for which a hand-off to the mail server began: each recipient counts once, retries do not. */
export class UsageCount {
  @Count() emailsSent: number;
  /** Null where there is none. */
  @Count() @Nullable() limit: number | null;
}

export class UsageByCategory {
  @Nested(() => UsageCount) transactional: UsageCount;
  @Nested(() => UsageCount) campaign: UsageCount;
  @Nested(() => UsageCount) workflow: UsageCount;
  @Nested(() => UsageCount) inbound: UsageCount;
}

class MonthlyMembers {
  @Nested(() => UsageByCategory) categories: UsageByCategory;
  /** Messages by the end of the month, if the rest of it is like its days so far. Its first day counts as a whole one. */
  @Count() forecast: number;
  /** When the limit is reached at that pace; null without a limit, or where the month ends before. */
  @Instant() @Nullable() limitReachedAt: Date | null;
  /** When the next month begins (UTC). */
  @Instant() resetsAt: Date;
}

class DailyMembers {
  /** LIMITED with a daily limit. */
  @Choice(trustTiers) trustTier: (typeof trustTiers)[number];
  /** When the next day begins (UTC). */
  @Instant() resetsAt: Date;
}

export class MonthlyUsage extends JoinFields(UsageCount, MonthlyMembers) {}
export class DailyUsage extends JoinFields(UsageCount, DailyMembers) {}

/** What a project has sent in this month and day, and how much it may send (docs/api-decisions.md §10). */
export class Usage {
  @Choice(plans) plan: (typeof plans)[number];
  @Choice(whenExhaustedChoices) whenExhausted: WhenExhausted;
  @Nested(() => MonthlyUsage) monthly: MonthlyUsage;
  @Nested(() => DailyUsage) daily: DailyUsage;
}

export class UpdateUsage extends PickFields(Usage, ['whenExhausted']) {}

export class GetUsage {}

/** `none` removes the limit. */
export class SetAllowance {
  @Choice(usageLimits) limit: UsageLimit;
  @Text(1, 20, { pattern: /^(\d{1,9}|none)$/, example: '10000' }) messages: string;
}

export class UsageWarned {
  @Choice(usageLimits) limit: UsageLimit;
  /** 80 or 100. */
  @Count({ max: 100 }) percent: number;
  @Count() messages: number;
  @Count() emailsSent: number;
  @Choice(whenExhaustedChoices) whenExhausted: WhenExhausted;
  @Instant() resetsAt: Date;
  @Instant() at: Date;
}

/** What was changed; the limit as it was given, such as `10000` or `none`. */
export class UsageChanged {
  @Id() projectId: string;
  @Choice(usageLimits) @Optional() limit?: UsageLimit;
  @Text(1, 20) @Optional() messages?: string;
  @Choice(whenExhaustedChoices) @Optional() whenExhausted?: WhenExhausted;
  @Instant() at: Date;
}

export const usage = {
  get: query('sending.usage.get', GetUsage, Usage),
  update: request('sending.usage.update', UpdateUsage, Usage),
};

/** Only for the operator. */
export const allowances = {
  set: request('sending.allowances.set', SetAllowance, Usage),
};

export const usageEvents = {
  changed: event(
    'sending.usage.changed',
    UsageChanged,
    'A limit was changed, or what happens to mail over it.',
  ),
  warned: event(
    'sending.usage.warned',
    UsageWarned,
    'A project has used 80 or 100 percent of a limit; once for each period, limit and percentage.',
  ),
};
