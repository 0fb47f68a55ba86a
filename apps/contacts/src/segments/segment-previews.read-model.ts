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

/** What is true of a condition until a contact of the project changes. */
export interface PreviewedCondition {
  count: number;
  sample: Contact[];
  excludedBy: ExcludedBy[];
  measuredMs: number;
}

/** What a preview looks up besides the contacts, as of the same instant. */
export interface PreviewContext {
  /** The same text means that no contact has changed in between; null where that is not known. */
  version: string | null;
  liveConditionBytes: number;
}

const sampleSize = 10;
/** More marks than these are not counted: a project that changes so much has a new version at every look. */
const countedMarks = 1_000;
const ownFields: ReadonlySet<ConditionFilter['field']> = new Set([
  'email',
  'subscribed',
  'createdAt',
  'updatedAt',
  'customField',
]);
const moreMemory = `SELECT set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`;
/** Workers would take the processors of other projects, and cost more than they save while others wait. */
const serial = `set_config('max_parallel_workers_per_gather', '0', true)`;

const context = `
  (SELECT w.since || ' ' || w.rounds || ' ' || marks.n FROM segment_watches w,
     (SELECT count(*) AS n FROM (SELECT FROM segment_dirty WHERE project_id = $1::uuid LIMIT ${countedMarks}) AS newest) AS marks
   WHERE w.project_id = $1::uuid AND w.settled AND marks.n < ${countedMarks}) AS version,
  (SELECT coalesce(sum(octet_length(condition::text)), 0) FROM segments WHERE project_id = $1::uuid AND upkeep = 'LIVE') AS "liveConditionBytes"`;

export class SegmentPreviews {
  constructor(private readonly database: Database) {}

  async context(projectId: string): Promise<PreviewContext> {
    const [row] = await this.database.query<PreviewContext>(`SELECT ${context}`, [projectId]);
    return row!;
  }

  /** Past `limitMs` the statement is cancelled: its caller has given up. */
  preview(
    projectId: string,
    condition: Condition,
    now: Date,
    limitMs: number | null = null,
  ): Promise<PreviewedCondition & PreviewContext> {
    const { sql, parameters, filters } = previewOf(projectId, condition, now);
    const limit =
      limitMs === null ? '' : `, set_config('statement_timeout', '${Math.ceil(limitMs)}ms', true)`;
    return this.database.transaction(async () => {
      await this.database.query(`${moreMemory}, ${serial}${limit}`);
      const start = performance.now();
      const [row] = await this.database.query<PreviewRow>(sql, parameters);
      const { count, sample, version, liveConditionBytes, ...excluded } = row!;
      return {
        count,
        sample: sample.map(withDates),
        excludedBy: filters.map(({ place }, index) => ({
          path: `/${place.join('/')}`,
          count: Number(excluded[`f${index}`]),
        })),
        measuredMs: Math.round(performance.now() - start),
        ...{ version, liveConditionBytes },
      };
    });
  }

  /** How many milliseconds it takes to count the matches. */
  async measure(projectId: string, condition: Condition, now: Date): Promise<number> {
    await this.database.query(moreMemory);
    const statement = new ConditionStatement(projectId, now);
    const matches = compileCondition(condition, statement.scope('c'));
    const sql = `SELECT count(*) FROM contacts c WHERE ${statement.within('c')} AND ${matches}`;
    const start = performance.now();
    await this.database.query(sql, statement.parameters);
    return Math.round(performance.now() - start);
  }
}

type PreviewRow = PreviewContext & { count: number; sample: Contact[] } & Record<`f${number}`, number>;

interface PreviewStatement {
  sql: string;
  parameters: unknown[];
  filters: ConditionFilter[];
}

function previewOf(projectId: string, condition: Condition, now: Date): PreviewStatement {
  const statement = new ConditionStatement(projectId, now);
  const filters = filtersOf(condition);
  const matching = `SELECT c.* FROM contacts c WHERE ${statement.within('c')} AND ${compileCondition(condition, statement.scope('c'))}`;
  // The second LIMIT ends the search for the sample at the last match, where there are fewer than the first.
  const sql = `
    SELECT counted.*, ${context}, coalesce((
      SELECT json_agg(json_build_object('id', s.id, 'projectId', s.project_id, 'email', s.email, 'subscribed', s.subscribed,
        'customFields', s.custom_fields, 'createdAt', s.created_at, 'updatedAt', s.updated_at))
      FROM (SELECT * FROM (${matching} LIMIT ${sampleSize}) AS first LIMIT counted.count) AS s
    ), '[]') AS sample
    FROM (${countedBy(condition, filters, statement)}) AS counted`;
  return { sql, parameters: statement.parameters, filters };
}

/** Counts matches, and what each filter excludes as f0, f1 and so on: each is evaluated once for each contact, because OFFSET keeps
 * the subquery from being merged. */
function countedBy(
  condition: Condition,
  filters: readonly ConditionFilter[],
  statement: ConditionStatement,
): string {
  const contacts = `FROM contacts c WHERE ${statement.within('c')}`;
  if (filters.length === 1) return countedAlone(filters[0]!, contacts, statement);
  const results = filters.map(
    (filter, index) => `${compileFilter(filter, statement.scope('c'))} AS f${index}`,
  );
  const excluded = filters.map((_, index) => `count(*) - count(*) FILTER (WHERE f${index}) AS f${index}`);
  const matching = joinFilters(condition, (filter) => `f${filters.indexOf(filter)}`);
  return `SELECT count(*) FILTER (WHERE ${matching}) AS count, ${excluded.join(', ')}
    FROM (SELECT ${results.join(', ')} ${contacts} OFFSET 0) AS results`;
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

function withDates(contact: Contact): Contact {
  return { ...contact, createdAt: new Date(contact.createdAt), updatedAt: new Date(contact.updatedAt) };
}
