/**
 * The language of segments (docs/api-decisions.md §5): what a condition is once it has been read. Whoever reads one makes this tree of it, and whoever
 * answers one, in SQL or in memory, begins with this tree.
 */
export const maxConditionDepth = 5;
export const maxConditionFilters = 100;
/** Names between the dots of `customFields.<path>`. */
export const maxFieldDepth = 5;
/** A condition as it is given: JSON of at most so many bytes. */
export const maxConditionBytes = 64 * 1024;
/** A condition of the greatest depth is nested so deep in JSON: groups, group, filters, filter for each level. */
export const maxConditionJsonDepth = 5 * maxConditionDepth;

export const conditionLogics = ['AND', 'OR'] as const;
export type ConditionLogic = (typeof conditionLogics)[number];

export const spanUnits = ['minutes', 'hours', 'days'] as const;
export type SpanUnit = (typeof spanUnits)[number];
export const msOfUnit: Record<SpanUnit, number> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };
/** Longer than anything here is old, and short enough for instants to stay within four digits of years. */
export const maxSpanMs = 36_500 * msOfUnit.days;

const equalities = ['equals', 'notEquals'] as const;
const parts = ['contains', 'notContains'] as const;
const orders = ['greaterThan', 'lessThan', 'greaterThanOrEqual', 'lessThanOrEqual'] as const;
const ages = ['within', 'olderThan'] as const;
const presences = ['exists', 'notExists'] as const;
const occurrences = ['triggered', 'notTriggered'] as const;
const datedOccurrences = ['triggeredWithin', 'triggeredOlderThan', 'notTriggeredWithin'] as const;
const memberships = ['isMemberOf', 'isNotMemberOf'] as const;

export type Equality = (typeof equalities)[number];
/** Neither of them matches a missing field. */
export type PartOperator = (typeof parts)[number];
export type OrderOperator = (typeof orders)[number];
/** within: at or after now − span, also in the future; olderThan: before now − span. */
export type AgeOperator = (typeof ages)[number];
export type Presence = (typeof presences)[number];
export type Occurrence = (typeof occurrences)[number];
/** triggeredOlderThan: at least once, and not since now − span; notTriggeredWithin includes never. */
export type DatedOccurrence = (typeof datedOccurrences)[number];
export type MembershipOperator = (typeof memberships)[number];
export type ConditionOperator =
  | Equality
  | PartOperator
  | OrderOperator
  | AgeOperator
  | Presence
  | Occurrence
  | DatedOccurrence
  | MembershipOperator;

export const emailActivities = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'] as const;
export type EmailActivity = (typeof emailActivities)[number];

export type ConditionField =
  | 'email'
  | 'subscribed'
  | 'createdAt'
  | 'updatedAt'
  | 'customField'
  | 'event'
  | 'activity'
  | 'segment'
  | 'list';

/** The table of docs/api-decisions.md §5. */
export const operatorsOf: Record<ConditionField, readonly ConditionOperator[]> = {
  email: [...equalities, ...parts],
  subscribed: equalities,
  createdAt: [...equalities, ...orders, ...ages],
  updatedAt: [...equalities, ...orders, ...ages],
  customField: [...equalities, ...orders, ...ages, ...parts, ...presences],
  event: [...occurrences, ...datedOccurrences],
  activity: [...occurrences, ...datedOccurrences],
  segment: memberships,
  list: memberships,
};

/** Other names that requests use for operators. */
export const operatorAliases: Readonly<Record<string, MembershipOperator>> = {
  memberOfSegment: 'isMemberOf',
  notMemberOfSegment: 'isNotMemberOf',
};

/** An instant, or with `day` the whole UTC day that begins with it: equals then means anywhere in it, and orders compare with its first instant. */
export interface InstantValue {
  kind: 'instant';
  from: Date;
  day: boolean;
}

/** What a custom field is compared with; a stored value of another kind never matches, and never errors. */
export type ComparedValue =
  | { kind: 'number'; number: number }
  | { kind: 'text'; text: string }
  | { kind: 'flag'; flag: boolean }
  | InstantValue;
/** What has an order. */
export type OrderedValue = Exclude<ComparedValue, { kind: 'flag' }>;

interface Located {
  /** Where the filter stands in the condition as it was given: JSON Pointer tokens. */
  place: readonly string[];
}

/** Case-insensitive: `text` is in lower case, as stored addresses are. */
export interface AddressFilter extends Located {
  field: 'email';
  operator: Equality | PartOperator;
  text: string;
}

export interface SubscribedFilter extends Located {
  field: 'subscribed';
  operator: Equality;
  flag: boolean;
}

interface OfInstant extends Located {
  field: 'createdAt' | 'updatedAt';
}
export type InstantFilter =
  | (OfInstant & { operator: Equality | OrderOperator; value: InstantValue })
  | (OfInstant & { operator: AgeOperator; spanMs: number });

interface OfCustomField extends Located {
  field: 'customField';
  /** Names of members of objects, from the outside; never an index of a list. */
  path: readonly string[];
}
export type CustomFieldFilter =
  | (OfCustomField & { operator: Equality; value: ComparedValue })
  | (OfCustomField & { operator: OrderOperator; value: OrderedValue })
  /** Case does not count. */
  | (OfCustomField & { operator: PartOperator; text: string })
  | (OfCustomField & { operator: Presence })
  | (OfCustomField & { operator: AgeOperator; spanMs: number });

type Happened = { operator: Occurrence } | { operator: DatedOccurrence; spanMs: number };
export type EventFilter = Located & { field: 'event'; name: string } & Happened;
export type ActivityFilter = Located & { field: 'activity'; activity: EmailActivity } & Happened;

/** Of a list, only CONFIRMED memberships count. */
export interface MembershipFilter extends Located {
  field: 'segment' | 'list';
  id: string;
  operator: MembershipOperator;
}

export type ConditionFilter =
  | AddressFilter
  | SubscribedFilter
  | InstantFilter
  | CustomFieldFilter
  | EventFilter
  | ActivityFilter
  | MembershipFilter;

/** All filters, and the nested condition where there is one. */
export interface ConditionGroup {
  filters: readonly ConditionFilter[];
  conditions: Condition | null;
}

/** `logic` joins the groups. */
export interface Condition {
  logic: ConditionLogic;
  groups: readonly ConditionGroup[];
}

/** Every filter of a condition, nested ones included, in the order in which they stand. */
export function filtersOf({ groups }: Condition): ConditionFilter[] {
  return groups.flatMap(({ filters, conditions }) => [
    ...filters,
    ...(conditions ? filtersOf(conditions) : []),
  ]);
}
