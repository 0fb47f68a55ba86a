import type { Condition } from '@posthorn/contracts';
import { newId, type Database } from '@posthorn/database';
import { compileCondition, type CompileScope } from '../compiling/compile-condition.js';
import { compileTurn } from '../compiling/compile-turn.js';
import { matchCondition, type Subject } from '../matching/match-condition.js';
import type { Person } from './generated.js';

export interface Stored {
  id: string;
  person: Person;
}

export interface SqlAnswer {
  id: string;
  answers: boolean[];
  turns: (Date | null)[];
}

/** Creates a project with these people. */
export async function storePeople(
  database: Database,
  people: readonly Person[],
): Promise<{ projectId: string; stored: Stored[] }> {
  const projectId = newId();
  // Addresses must be unique and keep their start and end.
  const stored = people.map((person, index) => ({
    id: newId(),
    person: { ...person, email: person.email.replace('@', `${'+'.repeat(index)}@`) },
  }));
  await database.transaction(async () => {
    await insert(database, 'contacts (project_id, id, email, subscribed, custom_fields, created_at, updated_at)', [
      'uuid', 'uuid', 'text', 'boolean', 'jsonb', 'timestamptz', 'timestamptz',
    ], stored.map(({ id, person }) => [projectId, id, person.email, person.subscribed, JSON.stringify(person.customFields), person.createdAt, person.updatedAt])); // prettier-ignore
    const summaries = (kind: 'events' | 'activities') =>
      stored.flatMap(({ id, person }) =>
        [...person[kind]].map(([name, at]) => [projectId, id, name, 1, at, at]),
      );
    const types = ['uuid', 'uuid', 'text', 'bigint', 'timestamptz', 'timestamptz'];
    await insert(
      database,
      'event_summaries (project_id, contact_id, name, count, first_at, last_at)',
      types,
      summaries('events'),
    );
    await insert(
      database,
      'mail_summaries (project_id, contact_id, kind, count, first_at, last_at)',
      types,
      summaries('activities'),
    );
    const lists = stored.flatMap(({ id, person }) =>
      [...person.lists].map(([list, status]) => [projectId, list, id, newId(), status]),
    );
    await insert(
      database,
      'memberships (project_id, list_id, contact_id, id, status)',
      ['uuid', 'uuid', 'uuid', 'uuid', 'text'],
      lists,
    );
    const segments = stored.flatMap(({ id, person }) =>
      [...person.segments].map((segment) => [projectId, segment, id]),
    );
    await insert(
      database,
      'segment_members (project_id, segment_id, contact_id)',
      ['uuid', 'uuid', 'uuid'],
      segments,
    );
  });
  return { projectId, stored };
}

async function insert(
  database: Database,
  into: string,
  types: readonly string[],
  rows: readonly unknown[][],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = types
    .map((type, column) => `$${column + 1}::${type === 'jsonb' ? 'text' : type}[]`)
    .join(', ');
  const names = types.map((_, column) => `v${column}`);
  const values = types
    .map((type, column) => (type === 'jsonb' ? `v${column}::jsonb` : `v${column}`))
    .join(', ');
  await database.query(
    `INSERT INTO ${into} SELECT ${values} FROM unnest(${columns}) AS v (${names.join(', ')})`,
    types.map((_, column) => rows.map((row) => row[column])),
  );
}

/** The results of all conditions for all contacts in one statement, for several instants. */
export function queriesOf(
  database: Database,
  projectId: string,
  conditions: readonly Condition[],
): (now: Date) => Promise<SqlAnswer[]> {
  const parameters: unknown[] = [projectId, null];
  const add = (value: unknown): string => `$${parameters.push(value)}`;
  const scope: CompileScope = { alias: 'c', project: '$1::uuid', now: '$2::timestamptz', add };
  const answers = conditions
    .map((condition) => `(${compileCondition(condition, scope)}) IS TRUE`)
    .join(',\n');
  const turns = conditions.map((condition) => compileTurn(condition, scope) ?? 'NULL').join(',\n');
  const sql = `SELECT c.id, ARRAY[${answers}] AS answers, ARRAY[${turns}]::timestamptz[] AS turns FROM contacts c WHERE c.project_id = $1::uuid AND $2::timestamptz IS NOT NULL ORDER BY c.id`;
  return (now) => database.query<SqlAnswer>(sql, [projectId, now, ...parameters.slice(2)]);
}

export function matchedOf(
  condition: Condition,
  { email, lists, ...rest }: Person,
  now: Date,
): ReturnType<typeof matchCondition> {
  const confirmed = [...lists].filter(([, status]) => status === 'CONFIRMED').map(([id]) => id);
  const subject: Subject = { ...rest, email, lists: new Set(confirmed) };
  return matchCondition(condition, subject, now);
}
