import {
  filtersOf,
  type Condition,
  type ConditionFilter,
  type Contact,
  type ExcludedBy,
} from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { compileCondition, compileFilter, joinFilters } from './compiling/compile-condition.js';
import { ConditionStatement } from './condition-statement.js';

export interface PreviewedCondition {
  count: number;
  sample: Contact[];
  excludedBy: ExcludedBy[];
  measuredMs: number;
  estimate: number;
}

export interface MeasuredCondition {
  ms: number;
  estimate: number;
}

const sampleSize = 10;
const ownFields: ReadonlySet<ConditionFilter['field']> = new Set([
  'email',
  'subscribed',
  'createdAt',
  'updatedAt',
  'customField',
]);
const moreMemory = `SELECT set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`;

export class SegmentPreviews {
  constructor(private readonly database: Database) {}

  /** Past `limitMs` the statement is cancelled: its caller has given up. */
  preview(
    projectId: string,
    condition: Condition,
    now: Date,
    limitMs: number | null = null,
  ): Promise<PreviewedCondition> {
    const statement = new ConditionStatement(projectId, now);
    const filters = filtersOf(condition);
    const sql = `
      SELECT counted.*, (
        SELECT coalesce(json_agg(json_build_object('id', s.id, 'projectId', s.project_id, 'email', s.email, 'subscribed', s.subscribed,
          'customFields', s.custom_fields, 'createdAt', s.created_at, 'updatedAt', s.updated_at)), '[]')
        FROM (SELECT c.* FROM contacts c WHERE ${statement.within('c')} AND ${compileCondition(condition, statement.scope('c'))} LIMIT ${sampleSize}) AS s
      ) AS sample
      FROM (${countedBy(condition, filters, statement)}) AS counted`;
    return this.database.transaction(async () => {
      await this.database.query(moreMemory);
      if (limitMs !== null)
        await this.database.query(`SELECT set_config('statement_timeout', $1, true)`, [
          `${Math.ceil(limitMs)}ms`,
        ]);
      const start = performance.now();
      const [row] = await this.database.query<Record<string, unknown>>(sql, statement.parameters);
      const measuredMs = Math.round(performance.now() - start);
      const { estimate } = await this.explained(projectId, condition, now);
      return {
        count: Number(row!['count']),
        sample: (row!['sample'] as Contact[]).map(withDates),
        excludedBy: filters.map(({ place }, index) => ({
          path: `/${place.join('/')}`,
          count: Number(row![`f${index}`]),
        })),
        measuredMs,
        estimate,
      };
    });
  }

  async measure(projectId: string, condition: Condition, now: Date): Promise<MeasuredCondition> {
    await this.database.query(moreMemory);
    const { estimate } = await this.explained(projectId, condition, now);
    const { sql, parameters } = countOf(projectId, condition, now);
    const start = performance.now();
    await this.database.query(sql, parameters);
    return { ms: Math.round(performance.now() - start), estimate };
  }

  private async explained(projectId: string, condition: Condition, now: Date): Promise<{ estimate: number }> {
    const { sql, parameters } = countOf(projectId, condition, now);
    const [row] = await this.database.query<{ 'QUERY PLAN': { Plan: { 'Total Cost': number } }[] }>(
      `EXPLAIN (FORMAT JSON) ${sql}`,
      parameters,
    );
    return { estimate: Math.round(row!['QUERY PLAN'][0]!.Plan['Total Cost']) };
  }
}

/** Counts matches, and what each filter excludes as f0, f1 and so on. Contacts are grouped by the result of each filter, which Postgres can do in parallel. */
function countedBy(
  condition: Condition,
  filters: readonly ConditionFilter[],
  statement: ConditionStatement,
): string {
  const contacts = `FROM contacts c WHERE ${statement.within('c')}`;
  if (filters.length === 1) return countedAlone(filters[0]!, contacts, statement);
  const results = filters.map((filter) => `(${compileFilter(filter, statement.scope('c'))})`);
  const names = filters.map((_, index) => `f${index}`);
  const excluded = names.map((name) => `sum(n) FILTER (WHERE ${name} IS NOT TRUE) AS ${name}`);
  const matching = joinFilters(condition, (filter) => `f${filters.indexOf(filter)}`);
  return `SELECT sum(n) FILTER (WHERE ${matching}) AS count, ${excluded.join(', ')}
    FROM (SELECT count(*) AS n, ${results.map((result, index) => `${result} AS f${index}`).join(', ')} ${contacts} GROUP BY ${names.join(', ')}) AS results`;
}

/** A single filter over another table is a parallel join; a negated one is subtracted from all contacts. */
function countedAlone(filter: ConditionFilter, contacts: string, statement: ConditionStatement): string {
  const opposite = oppositeOf(filter);
  const requested = compileFilter(opposite ?? filter, statement.scope('c'));
  if (ownFields.has(filter.field)) {
    const matching = `count(*) FILTER (WHERE ${requested})`;
    return `SELECT ${matching} AS count, count(*) - ${matching} AS f0 ${contacts}`;
  }
  const [count, excluded] = opposite
    ? ['everybody.n - found.n', 'found.n']
    : ['found.n', 'everybody.n - found.n'];
  return `SELECT ${count} AS count, ${excluded} AS f0
    FROM (SELECT count(*) AS n ${contacts}) AS everybody, (SELECT count(*) AS n ${contacts} AND ${requested}) AS found`;
}

function oppositeOf(filter: ConditionFilter): ConditionFilter | null {
  switch (filter.operator) {
    case 'notTriggered':
      return { ...filter, operator: 'triggered' };
    case 'notTriggeredWithin':
      return { ...filter, operator: 'triggeredWithin' };
    case 'isNotMemberOf':
      return { ...filter, operator: 'isMemberOf' };
    default:
      return null;
  }
}

function countOf(projectId: string, condition: Condition, now: Date): { sql: string; parameters: unknown[] } {
  const statement = new ConditionStatement(projectId, now);
  const matches = compileCondition(condition, statement.scope('c'));
  return {
    sql: `SELECT count(*) FROM contacts c WHERE ${statement.within('c')} AND ${matches}`,
    parameters: statement.parameters,
  };
}

function withDates(contact: Contact): Contact {
  return { ...contact, createdAt: new Date(contact.createdAt), updatedAt: new Date(contact.updatedAt) };
}
