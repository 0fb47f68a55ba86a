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
  /** The planner's, in its own unit. */
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
const roomy = `SELECT set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`;

/** What a condition would find, and what it costs to find it. */
export class SegmentPreviews {
  constructor(private readonly database: Database) {}

  /** One statement: who matches, some of them, and whom each filter alone leaves out. */
  preview(projectId: string, condition: Condition, now: Date): Promise<PreviewedCondition> {
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
      await this.database.query(roomy);
      const began = performance.now();
      const [row] = await this.database.query<Record<string, unknown>>(sql, statement.parameters);
      const measuredMs = Math.round(performance.now() - began);
      const { estimate } = await this.explained(projectId, condition, now);
      return {
        count: Number(row!['count']),
        sample: (row!['sample'] as Contact[]).map(withInstants),
        excludedBy: filters.map(({ place: location }, index) => ({
          path: `/${location.join('/')}`,
          count: Number(row![`f${index}`]),
        })),
        measuredMs,
        estimate,
      };
    });
  }

  /** How long it takes to answer a condition for all contacts of the project; inside the caller's transaction. */
  async measure(projectId: string, condition: Condition, now: Date): Promise<MeasuredCondition> {
    await this.database.query(roomy);
    const { estimate } = await this.explained(projectId, condition, now);
    const { sql, parameters } = countOf(projectId, condition, now);
    const began = performance.now();
    await this.database.query(sql, parameters);
    return { ms: Math.round(performance.now() - began), estimate };
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

/**
 * How many match, and whom each filter leaves out as f0, f1 and so on. Each filter is answered once, as what contacts are grouped by: that
 * is what Postgres can do by several workers, but for one that is asked alone. The same sum twice is made once.
 */
function countedBy(
  condition: Condition,
  filters: readonly ConditionFilter[],
  statement: ConditionStatement,
): string {
  const contacts = `FROM contacts c WHERE ${statement.within('c')}`;
  if (filters.length === 1) return countedAlone(filters[0]!, contacts, statement);
  const answers = filters.map((filter) => `(${compileFilter(filter, statement.scope('c'))})`);
  const names = filters.map((_, index) => `f${index}`);
  const left = names.map((name) => `sum(n) FILTER (WHERE ${name} IS NOT TRUE) AS ${name}`);
  const matching = joinFilters(condition, (filter) => `f${filters.indexOf(filter)}`);
  return `SELECT sum(n) FILTER (WHERE ${matching}) AS count, ${left.join(', ')}
    FROM (SELECT count(*) AS n, ${answers.map((answer, index) => `${answer} AS f${index}`).join(', ')} ${contacts} GROUP BY ${names.join(', ')}) AS answered`;
}

/** What lies in another table several workers join to the contacts; where it has to be missing, whoever has it is taken from all. */
function countedAlone(filter: ConditionFilter, contacts: string, statement: ConditionStatement): string {
  const missing = missedBy(filter);
  const requested = compileFilter(missing ?? filter, statement.scope('c'));
  if (ownFields.has(filter.field)) {
    const matching = `count(*) FILTER (WHERE ${requested})`;
    return `SELECT ${matching} AS count, count(*) - ${matching} AS f0 ${contacts}`;
  }
  const [count, left] = missing ? ['everybody.n - known.n', 'known.n'] : ['known.n', 'everybody.n - known.n'];
  return `SELECT ${count} AS count, ${left} AS f0
    FROM (SELECT count(*) AS n ${contacts}) AS everybody, (SELECT count(*) AS n ${contacts} AND ${requested}) AS known`;
}

/** What finds those who have what the filter wants to be missing; null where it wants nothing to be missing. */
function missedBy(filter: ConditionFilter): ConditionFilter | null {
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

/** What Postgres writes into JSON are texts. */
function withInstants(contact: Contact): Contact {
  return { ...contact, createdAt: new Date(contact.createdAt), updatedAt: new Date(contact.updatedAt) };
}
