/** One condition as the API takes it. */
interface TypicalCondition {
  name: string;
  condition: object;
}

interface Filter {
  field: string;
  operator: string;
  value?: unknown;
  unit?: string;
}

const query = (field: string, operator: string, value?: unknown, unit?: string): Filter => ({
  field,
  operator,
  value,
  unit,
});
const all = (name: string, ...filters: Filter[]): TypicalCondition => ({
  name,
  condition: { logic: 'AND', groups: [{ filters }] },
});

const isPro = query('customFields.plan', 'equals', 'pro');
const isSubscribed = query('subscribed', 'equals', true);
const oneOfThree = [1, 2, 3].map((n) => ({
  filters: [query('customFields.city', 'equals', `city-${n}`)],
}));

/** The twelve that are measured, cheap ones first. */
export const conditionsOf = ([news, offers]: readonly [string, string]): TypicalCondition[] => [
  all('one field is a text', isPro),
  all('one field is at least a number', query('customFields.seats', 'greaterThanOrEqual', 50)),
  all(
    'two fields and the subscription',
    ...[isSubscribed, isPro, query('customFields.active', 'equals', true)],
  ),
  { name: 'one field is one of three texts', condition: { logic: 'OR', groups: oneOfThree } },
  all('part of the address', query('email', 'contains', 'firm')),
  all('made within 30 days', query('createdAt', 'within', 30, 'days')),
  all('a field before a day', query('customFields.renewsAt', 'lessThan', '2026-12-31')),
  all('an event ever', query('event.event-3', 'triggered')),
  all('no event within 7 days', query('event.event-0', 'notTriggeredWithin', 7, 'days')),
  all(
    'opened within 30 days, never clicked',
    query('email.opened', 'triggeredWithin', 30, 'days'),
    query('email.clicked', 'notTriggered'),
  ),
  all('on a list and one field', query(`list.${news}`, 'isMemberOf'), isPro),
  nested(offers),
];

/** Of the usual size: the subscription, a text and a number. */
const usual = (plan: string, seats: number): object =>
  all(
    '',
    ...[isSubscribed, query('customFields.plan', 'equals', plan)],
    query('customFields.seats', 'greaterThanOrEqual', seats),
  ).condition;

export const equalCondition = usual('pro', 50);

/** As somebody who tries one out makes it: the n-th differs from all others. */
export const differingCondition = (n: number): object => usual(['pro', 'team'][n % 2]!, n / 1_000);

function nested(listId: string): TypicalCondition {
  const isTeam = query('customFields.plan', 'equals', 'team');
  const manyAddresses = query('customFields.seats', 'greaterThan', 80);
  const didIt = query('event.event-1', 'triggeredWithin', 30, 'days');
  const notOnList = query(`list.${listId}`, 'isNotMemberOf');
  const conditions = { logic: 'OR', groups: [{ filters: [isTeam] }, { filters: [manyAddresses, didIt] }] };
  const groups = [{ filters: [isSubscribed, notOnList], conditions }];
  return { name: 'five filters, nested', condition: { logic: 'AND', groups } };
}
