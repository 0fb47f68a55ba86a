import type { JsonSchema } from '@posthorn/contracts';

type Schemas = Record<string, JsonSchema>;

/** What would break a consumer that was written for `last`: events and members may be added, and that is all. */
export function incompatibilities(last: Schemas, today: Schemas): string[] {
  return Object.entries(last).flatMap(([event, schema]) =>
    today[event] ? compare(event, schema, today[event]) : [`${event}: is gone`],
  );
}

function compare(at: string, last: JsonSchema, today: JsonSchema): string[] {
  return [
    ...compareTypes(at, last, today),
    ...compareChoices(at, last, today),
    ...compareLimits(at, last, today),
    ...sameKeywords
      .filter((keyword) => !isSame(last[keyword], today[keyword]))
      .map((keyword) => `${at}: ${keyword} changed`),
    ...compareMembers(at, last, today),
  ];
}

const sameKeywords = ['const', 'format', 'pattern', 'anyOf', 'propertyNames'] as const;

/** A reader of strings must not find a null. */
function compareTypes(at: string, last: JsonSchema, today: JsonSchema): string[] {
  const known = [last['type']].flat();
  const added = [today['type']].flat().filter((type) => !known.includes(type));
  return added.length > 0 ? [`${at}: may now be ${added.join(', ')}`] : [];
}

/** A closed set is switched over; only one that was declared open may grow. */
function compareChoices(at: string, last: JsonSchema, today: JsonSchema): string[] {
  const known = last['enum'] as unknown[] | undefined;
  if (!known) return [];
  const now = today['enum'] as unknown[] | undefined;
  const added = (now ?? ['anything']).filter((value) => !known.includes(value));
  return added.length > 0 ? [`${at}: may now be ${added.join(', ')}`] : [];
}

/** Whoever stores a member made its column for the longest that it was promised. */
function compareLimits(at: string, last: JsonSchema, today: JsonSchema): string[] {
  const wider = (keyword: string, sign: 1 | -1) => {
    const [before, now] = [last[keyword], today[keyword]] as (number | undefined)[];
    return before !== undefined && (now === undefined || sign * now > sign * before);
  };
  const upper = ['maxLength', 'maximum', 'maxItems', 'maxProperties'].filter((keyword) => wider(keyword, 1));
  const lower = ['minLength', 'minItems', 'minProperties'].filter((keyword) => wider(keyword, -1));
  return [...upper, ...lower].map((keyword) => `${at}: ${keyword} is wider`);
}

function compareMembers(at: string, last: JsonSchema, today: JsonSchema): string[] {
  const [before, now] = [membersOf(last), membersOf(today)];
  const required = requiredOf(today);
  const problems = Object.entries(before).flatMap(([name, schema]) => {
    const member = now[name];
    return member ? compare(`${at}.${name}`, schema, member) : [`${at}.${name}: is gone`];
  });
  const freed = requiredOf(last).filter((name) => name in now && !required.includes(name));
  const items = last['items']
    ? compare(`${at}[]`, last['items'] as JsonSchema, (today['items'] ?? {}) as JsonSchema)
    : [];
  return [...problems, ...freed.map((name) => `${at}.${name}: may now be absent`), ...items];
}

const membersOf = (schema: JsonSchema): Schemas => (schema['properties'] ?? {}) as Schemas;
const requiredOf = (schema: JsonSchema): string[] => (schema['required'] ?? []) as string[];
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
