import type {
  AudienceMember,
  AudiencePage,
  CheckAudience,
  Condition,
  GetAudiencePage,
  MembershipFilter,
} from '@posthorn/contracts';
import { DatabaseClock, type Database } from '@posthorn/database';
import { compileCondition, compileFilter } from '../segments/compiling/compile-condition.js';
import { ConditionStatement } from '../segments/condition-statement.js';

export interface ReadAudience {
  /** Its members are the audience; null: all contacts are, or those that match the condition. */
  source: MembershipFilter | null;
  condition: Condition | null;
  excluded: readonly MembershipFilter[];
}

const firstContact = '00000000-0000-0000-0000-000000000000';

interface LookedAt extends AudienceMember {
  belongs: boolean;
}

export class AudienceMembers {
  private readonly clock: DatabaseClock;

  constructor(private readonly database: Database) {
    this.clock = new DatabaseClock(database);
  }

  /** Looks at the next contacts by id, so that each page costs the same, however few of them belong to it. */
  async page(
    projectId: string,
    audience: ReadAudience,
    { after = firstContact, until, limit, timeZoneField, topicId }: Omit<GetAudiencePage, 'audience'>,
  ): Promise<AudiencePage> {
    const statement = new ConditionStatement(projectId, await this.clock.now());
    const { add } = statement.scope('c');
    const source = sourceOf(audience.source, statement, add(after));
    const rows = await this.database.query<LookedAt>(
      `SELECT c.id AS "contactId", c.email, c.subscribed, ${timeZoneField === undefined ? '' : `left(c.custom_fields ->> ${add(timeZoneField)}, 64) AS "timeZone",`}
         ${topicId === undefined ? '' : `${optedIn(topicId, statement)} AS "optedIn",`} ${excludes(audience, statement)} AS excluded,
         c.created_at <= ${add(until)}::timestamptz AND ${belongs(audience, statement)} AS belongs
       FROM (${source} ORDER BY id LIMIT ${add(limit)}::int) AS c ORDER BY c.id`,
      statement.parameters,
    );
    return {
      items: rows.filter(({ belongs }) => belongs).map(({ belongs: _, ...member }) => member),
      next: rows.length < limit ? null : rows.at(-1)!.contactId,
    };
  }

  /** Whether anybody belongs to it who is not excluded. In the order of an index: otherwise the rows of other projects may be read first. */
  async any(
    projectId: string,
    audience: ReadAudience,
    { subscribedOnly, topicId }: Pick<CheckAudience, 'subscribedOnly' | 'topicId'>,
  ): Promise<boolean> {
    const statement = new ConditionStatement(projectId, await this.clock.now());
    const { add } = statement.scope('c');
    const source = sourceOf(audience.source, statement, add(firstContact));
    const found = await this.database.query(
      `SELECT 1 FROM (${source}) AS c WHERE ${belongs(audience, statement)} AND NOT ${excludes(audience, statement)}
         ${subscribedOnly ? 'AND c.subscribed' : ''} ${topicId === undefined ? '' : `AND ${optedIn(topicId, statement)}`} ORDER BY c.id LIMIT 1`,
      statement.parameters,
    );
    return found.length > 0;
  }
}

function sourceOf(source: MembershipFilter | null, statement: ConditionStatement, after: string): string {
  const within = statement.within('s');
  if (source === null) return `SELECT s.* FROM contacts s WHERE ${within} AND s.id > ${after}::uuid`;
  const { project, add } = statement.scope('s');
  const members =
    source.field === 'segment'
      ? `segment_members m WHERE m.project_id = ${project} AND m.segment_id = ${add(source.id)}::uuid`
      : `memberships m WHERE m.project_id = ${project} AND m.list_id = ${add(source.id)}::uuid AND m.status = 'CONFIRMED'`;
  return `SELECT s.* FROM (SELECT m.contact_id FROM ${members} AND m.contact_id > ${after}::uuid) AS member
    JOIN contacts s ON s.id = member.contact_id AND ${within}`;
}

/** By the key of the choice; false for a topic that is unknown. */
function optedIn(topicId: string, statement: ConditionStatement): string {
  const { project, add } = statement.scope('c');
  const topic = `${add(topicId)}::uuid`;
  return `coalesce(
    (SELECT choice.opted_in FROM topic_choices choice WHERE choice.project_id = ${project} AND choice.topic_id = ${topic} AND choice.contact_id = c.id),
    (SELECT topic.default_opt_in FROM topics topic WHERE topic.project_id = ${project} AND topic.id = ${topic}), false)`;
}

const belongs = ({ condition }: ReadAudience, statement: ConditionStatement): string =>
  condition === null ? 'true' : `coalesce(${compileCondition(condition, statement.scope('c'))}, false)`;

const excludes = ({ excluded }: ReadAudience, statement: ConditionStatement): string =>
  excluded.length === 0
    ? 'false'
    : `(${excluded.map((filter) => compileFilter(filter, statement.scope('c'))).join(' OR ')})`;
