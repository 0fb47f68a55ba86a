import { topicNotFound, type ListTopics } from '@posthorn/contracts';
import { CountedRepository, equals, type Database, type Page, type Total } from '@posthorn/database';
import { TopicRow } from './topic.entity.js';

export class TopicsRepository extends CountedRepository<TopicRow> {
  constructor(database: Database) {
    super(database, TopicRow, topicNotFound);
  }

  list(projectId: string, { archived = false, ...request }: ListTopics): Promise<Page<TopicRow>> {
    return this.page(projectId, request, [equals('row.archived', archived)]);
  }

  countMatches(projectId: string, { archived = false }: ListTopics): Promise<Total> {
    return this.matches(projectId, [equals('row.archived', archived)]);
  }

  /** Until the end of the transaction no topic of the project is added or changed, so that two of them do not exceed the limit. */
  async lockAll(projectId: string): Promise<void> {
    await this.database.query(`SELECT pg_advisory_xact_lock(hashtextextended($1::text, 47))`, [projectId]);
  }

  async isKeyTaken(projectId: string, key: string): Promise<boolean> {
    const rows = await this.database.query(`SELECT 1 FROM topics WHERE project_id = $1 AND key = $2`, [
      projectId,
      key,
    ]);
    return rows.length > 0;
  }

  /** The ids of those that are not archived, by their keys. */
  async shown(projectId: string): Promise<Map<string, string>> {
    const rows = await this.database.query<{ key: string; id: string }>(
      `SELECT key, id FROM topics WHERE project_id = $1 AND NOT archived`,
      [projectId],
    );
    return new Map(rows.map(({ key, id }) => [key, id]));
  }
}
