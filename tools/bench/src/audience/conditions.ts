/** One condition as the API takes it, and as somebody who knows the tables writes it. */
export interface TypicalCondition {
  name: string;
  condition: object;
  /** By hand: what is joined to the contacts `c`, each filter, and all of them. */
  joins: string;
  filters: string[];
  match: string;
  /** What it finds changes with the instant. */
  timed: boolean;
}

interface Filter {
  field: string;
  operator: string;
  value?: unknown;
  unit?: string;
}

type ByHand = [filter: Filter, sql: string];

const query = (field: string, operator: string, value?: unknown, unit?: string): Filter => ({
  field,
  operator,
  value,
  unit,
});
const ofContact = (alias: string): string =>
  `${alias}.project_id = c.project_id AND ${alias}.contact_id = c.id`;
const did = (alias: string, name: string, and = ''): string =>
  `LEFT JOIN event_summaries ${alias} ON ${ofContact(alias)} AND ${alias}.name = '${name}' ${and}`;
const mailed = (alias: string, kind: string, and = ''): string =>
  `LEFT JOIN mail_summaries ${alias} ON ${ofContact(alias)} AND ${alias}.kind = '${kind}' ${and}`;
const member = (alias: string, listId: string): string =>
  `LEFT JOIN memberships ${alias} ON ${ofContact(alias)} AND ${alias}.list_id = '${listId}' AND ${alias}.status = 'CONFIRMED'`;
const since = (alias: string, days: number): string =>
  `AND ${alias}.last_at >= now() - interval '${days} days'`;

const isPro: ByHand = [query('customFields.plan', 'equals', 'pro'), `c.custom_fields ->> 'plan' = 'pro'`];
const isSubscribed: ByHand = [query('subscribed', 'equals', true), `c.subscribed`];

const fieldConditions: readonly TypicalCondition[] = [
  all('one field is a text', [isPro]),
  all('one field is at least a number', [
    [query('customFields.seats', 'greaterThanOrEqual', 50), `(c.custom_fields ->> 'seats')::int >= 50`],
  ]),
  all('two fields and the subscription', [
    isSubscribed,
    isPro,
    [query('customFields.active', 'equals', true), `(c.custom_fields ->> 'active')::boolean`],
  ]),
  any(
    'one field is one of three texts',
    [1, 2, 3].map((n): ByHand => [
      query('customFields.city', 'equals', `city-${n}`),
      `c.custom_fields ->> 'city' = 'city-${n}'`,
    ]),
  ),
  all('part of the address', [[query('email', 'contains', 'firm'), `c.email LIKE '%firm%'`]]),
  {
    ...all('made within 30 days', [
      [query('createdAt', 'within', 30, 'days'), `c.created_at >= now() - interval '30 days'`],
    ]),
    timed: true,
  },
  all('a field before a day', [
    [
      query('customFields.renewsAt', 'lessThan', '2026-12-31'),
      `c.custom_fields ->> 'renewsAt' < '2026-12-31'`,
    ],
  ]),
];

/** The twelve that are measured, cheap ones first. */
export function conditionsOf([news, offers]: readonly [string, string]): TypicalCondition[] {
  return [
    ...fieldConditions,
    all(
      'an event ever',
      [[query('event.event-3', 'triggered'), `e.contact_id IS NOT NULL`]],
      did('e', 'event-3'),
    ),
    {
      ...all(
        'no event within 7 days',
        [[query('event.event-0', 'notTriggeredWithin', 7, 'days'), `e.contact_id IS NULL`]],
        did('e', 'event-0', since('e', 7)),
      ),
      timed: true,
    },
    {
      ...all(
        'opened within 30 days, never clicked',
        [
          [query('email.opened', 'triggeredWithin', 30, 'days'), `o.contact_id IS NOT NULL`],
          [query('email.clicked', 'notTriggered'), `k.contact_id IS NULL`],
        ],
        `${mailed('o', 'opened', since('o', 30))} ${mailed('k', 'clicked')}`,
      ),
      timed: true,
    },
    all(
      'on a list and one field',
      [[query(`list.${news}`, 'isMemberOf'), `m.contact_id IS NOT NULL`], isPro],
      member('m', news),
    ),
    nested(offers),
  ];
}

function all(name: string, parts: ByHand[], joins = ''): TypicalCondition {
  const filters = parts.map(([, sql]) => sql);
  const condition = { logic: 'AND', groups: [{ filters: parts.map(([filter]) => filter) }] };
  return { name, condition, joins, filters, match: filters.join(' AND '), timed: false };
}

function any(name: string, parts: ByHand[]): TypicalCondition {
  const filters = parts.map(([, sql]) => sql);
  const condition = { logic: 'OR', groups: parts.map(([filter]) => ({ filters: [filter] })) };
  return { name, condition, joins: '', filters, match: filters.join(' OR '), timed: false };
}

function nested(listId: string): TypicalCondition {
  const isTeam = query('customFields.plan', 'equals', 'team');
  const manyAddresses = query('customFields.seats', 'greaterThan', 80);
  const didIt = query('event.event-1', 'triggeredWithin', 30, 'days');
  const notOnList = query(`list.${listId}`, 'isNotMemberOf');
  const inner = { logic: 'OR', groups: [{ filters: [isTeam] }, { filters: [manyAddresses, didIt] }] };
  const [subscribed, team, members, event, list] = [
    'c.subscribed',
    `c.custom_fields ->> 'plan' = 'team'`,
    `(c.custom_fields ->> 'seats')::int > 80`,
    'e.contact_id IS NOT NULL',
    'm.contact_id IS NULL',
  ];
  return {
    name: 'five filters, nested',
    condition: { logic: 'AND', groups: [{ filters: [isSubscribed[0], notOnList], conditions: inner }] },
    joins: `${did('e', 'event-1', since('e', 30))} ${member('m', listId)}`,
    filters: [subscribed, list, team, members, event],
    match: `${subscribed} AND ${list} AND (${team} OR ${members} AND ${event})`,
    timed: true,
  };
}
