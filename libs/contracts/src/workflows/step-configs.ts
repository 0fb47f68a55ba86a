import {
  Choice,
  Count,
  Flag,
  FreeMap,
  Id,
  Line,
  ListOf,
  MailboxOf,
  Nested,
  Nullable,
  Numeric,
  Optional,
  StringMap,
  Text,
} from '../schema/fields.js';
import type { Shape } from '../schema/field.js';
import { spanUnits, type SpanUnit } from '../contacts/conditions.js';
import type { StepType } from './graphs.js';

/** The configurations of steps (docs/api-decisions.md §7). Their keys are camelCase on both surfaces, and unknown ones are kept. */
export const branchOperators = [
  'equals',
  'notEquals',
  'contains',
  'notContains',
  'greaterThan',
  'lessThan',
  'greaterThanOrEqual',
  'lessThanOrEqual',
  'exists',
  'notExists',
] as const;
export type BranchOperator = (typeof branchOperators)[number];
/** These compare with nothing. */
export const valuelessOperators: ReadonlySet<BranchOperator> = new Set(['exists', 'notExists']);

export const weekdays = [
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
  'SUNDAY',
] as const;
export type Weekday = (typeof weekdays)[number];

export const maxDelayDays = 365;
const maxTimeoutSeconds = 31_536_000;
const maxBranches = 20;
const timeOfDay = /^([01]\d|2[0-3]):[0-5]\d$/;

export class StepRecipient {
  /** CONTACT: whoever the execution is about. CUSTOM: `customEmail`. */
  @Choice(['CONTACT', 'CUSTOM']) type: 'CONTACT' | 'CUSTOM';
  /** Liquid, which must give one address. */
  @Line(1, 500) @Optional() customEmail?: string;
}

/** A template, or a subject and a body of its own. */
export class SendEmailConfig {
  @Id() @Optional() @Nullable() templateId?: string | null;
  @Line(1, 998) @Optional() subject?: string;
  @Text(1, 1_000_000) @Optional() body?: string;
  @MailboxOf() @Optional() from?: { email: string; name: string | null };
  @Nested(() => StepRecipient) @Optional() recipient?: StepRecipient;
}

/** The next such time, in the zone of the contact, else of the project. */
export class DelayUntil {
  /** Any day without it. */
  @Choice(weekdays) @Optional() weekday?: Weekday;
  /** HH:MM. */
  @Text(5, 5, { pattern: timeOfDay }) time: string;
  /** The custom field with the zone (IANA) of the contact. */
  @Text(1, 100) @Optional() timeZoneField?: string;
}

/** `amount` and `unit`, at most 365 days; or `until`. */
export class DelayConfig {
  @Numeric() @Optional() amount?: number;
  @Choice(spanUnits) @Optional() unit?: SpanUnit;
  @Nested(() => DelayUntil) @Optional() until?: DelayUntil;
}

/** Goes on by `event`, or after `timeout` seconds by `timeout`. */
export class WaitForEventConfig {
  @Text(1, 200) @Optional() eventName?: string;
  @Count({ min: 1, max: maxTimeoutSeconds }) @Optional() timeout?: number;
}

/** `value` is compared as it is: text with text, a number with a number. */
export class ConditionBranch {
  @Text(1, 100) id: string;
  @Text(1, 100) name: string;
  @Choice(branchOperators) operator: BranchOperator;
}

/** `yes` or `no`; with mode `multi` the first branch that holds, else `default`. */
export class ConditionConfig {
  /** `contact.email`, `contact.subscribed`, `customFields.*`, `data.*`, `event.*`, `workflow.*`. */
  @Text(1, 300) @Optional() field?: string;
  @Choice(branchOperators) @Optional() operator?: BranchOperator;
  @Choice(['multi']) @Optional() mode?: 'multi';
  @ListOf(() => ConditionBranch, 1, maxBranches) @Optional() branches?: ConditionBranch[];
}

export const webhookMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type WebhookMethod = (typeof webhookMethods)[number];

/** `url`, values of `headers` and text inside `body` are Liquid. Without a body, the event with its contact is sent. */
export class WebhookConfig {
  @Line(1, 2_000) @Optional() url?: string;
  @Choice(webhookMethods) @Optional() method?: WebhookMethod;
  @StringMap({ max: 50, itemMax: 2_000 }) @Optional() headers?: Record<string, string>;
}

/** Sets custom fields, and whether the contact is subscribed. */
export class UpdateContactConfig {
  @FreeMap({ max: 65_536 }) @Optional() updates?: Record<string, unknown>;
  @Flag() @Optional() subscribed?: boolean;
}

export class ExitConfig {
  @Text(1, 200) @Optional() reason?: string;
}

class TriggerConfig {}

export const configShapes: Readonly<Record<StepType, Shape>> = {
  TRIGGER: TriggerConfig,
  SEND_EMAIL: SendEmailConfig,
  DELAY: DelayConfig,
  WAIT_FOR_EVENT: WaitForEventConfig,
  CONDITION: ConditionConfig,
  WEBHOOK: WebhookConfig,
  UPDATE_CONTACT: UpdateContactConfig,
  EXIT: ExitConfig,
};

/** Text with Liquid in it has its value only when it is rendered. */
export const isTemplateText = (text: string): boolean => /\{[{%]/.test(text);
