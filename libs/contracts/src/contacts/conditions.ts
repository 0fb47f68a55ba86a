/** docs/api-decisions.md §5. Both the SQL and the in-memory evaluation start from this tree. */
export const maxConditionDepth = 5;
export const maxConditionFilters = 100;
export const maxFieldDepth = 5;
export const maxConditionBytes = 64 * 1024;
/** JSON depth of a condition of the greatest depth: groups, group, filters and filter at each level. */
export const maxConditionJsonDepth = 5 * maxConditionDepth;

export const conditionLogics = ['AND', 'OR'] as const;
export type ConditionLogic = (typeof conditionLogics)[number];

export const spanUnits = ['minutes', 'hours', 'days'] as const;
export type SpanUnit = (typeof spanUnits)[number];
export const msOfUnit: Record<SpanUnit, number> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };
/** Keeps computed instants within four-digit years. */
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
/** Neither matches a missing field. */
export type PartOperator = (typeof parts)[number];
export type OrderOperator = (typeof orders)[number];
/** within: at or after now − span, including the future; olderThan: before now − span. */
export type AgeOperator = (typeof ages)[number];
export type Presence = (typeof presences)[number];
export type Occurrence = (typeof occurrences)[number];
/** triggeredOlderThan: at least once, but not since now − span; notTriggeredWithin includes never. */
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

export const operatorAliases: Readonly<Record<string, MembershipOperator>> = {
  memberOfSegment: 'isMemberOf',
  notMemberOfSegment: 'isNotMemberOf',
};

/** With `day`, the whole UTC day: equals matches any time of it, orders compare with its start. */
export interface InstantValue {
  kind: 'instant';
  from: Date;
  day: boolean;
}

/** The value to compare a custom field with; a stored value of another type never matches and never fails. */
export type ComparedValue =
  | { kind: 'number'; number: number }
  | { kind: 'text'; text: string }
  | { kind: 'flag'; flag: boolean }
  | InstantValue;
export type OrderedValue = Exclude<ComparedValue, { kind: 'flag' }>;

interface Located {
  place: readonly string[];
}

/** Case-insensitive: `text` is in lower case, like stored addresses. */
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
  /** Member names from the outermost object inwards; never an index of a list. */
  path: readonly string[];
}
export type CustomFieldFilter =
  | (OfCustomField & { operator: Equality; value: ComparedValue })
  | (OfCustomField & { operator: OrderOperator; value: OrderedValue })
  /** Case-insensitive. */
  | (OfCustomField & { operator: PartOperator; text: string })
  | (OfCustomField & { operator: Presence })
  | (OfCustomField & { operator: AgeOperator; spanMs: number });

type OccurrenceTest = { operator: Occurrence } | { operator: DatedOccurrence; spanMs: number };
export type EventFilter = Located & { field: 'event'; name: string } & OccurrenceTest;
export type ActivityFilter = Located & { field: 'activity'; activity: EmailActivity } & OccurrenceTest;

/** For a list, only CONFIRMED memberships count. */
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

/** All filters and the nested condition must match. */
export interface ConditionGroup {
  filters: readonly ConditionFilter[];
  conditions: Condition | null;
}

export interface Condition {
  logic: ConditionLogic;
  groups: readonly ConditionGroup[];
}

export function filtersOf({ groups }: Condition): ConditionFilter[] {
  return groups.flatMap(({ filters, conditions }) => [
    ...filters,
    ...(conditions ? filtersOf(conditions) : []),
  ]);
}
