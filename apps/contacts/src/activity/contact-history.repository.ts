import type { Activity, ConsentSource, ContactHistoryKind } from '@posthorn/contracts';
import { idsBefore, instantOf, type Database } from '@posthorn/database';
import { pairsOf } from '../segments/pairs.js';
import type { ActivityQuery } from './activity.read-model.js';

interface HistoryRow {
  id: string;
  kind: ContactHistoryKind;
  subjectId: string;
  subjectName: string | null;
  source: ConsentSource | null;
}

/** Part of a statement that changes memberships: `rows` has the columns project_id, contact_id, kind and subject_id, and `source` is SQL. */
export const recordsHistory = (rows: string, source: string = 'NULL'): string =>
  `INSERT INTO contact_history (project_id, id, contact_id, kind, subject_id, source)
   SELECT occurred.project_id, uuidv7(), occurred.contact_id, occurred.kind, occurred.subject_id, ${source}
   FROM ${rows} AS occurred`;

const ofPage = `kind = 'list.unsubscribed' AND source = 'UNSUBSCRIBE_PAGE'`;

/** Whether the newest change of a membership is a leave that `MembershipWrites` recorded as one of the page. */
export const leftOnPage = (projectId: string, contactId: string, listId: string): string =>
  `coalesce((SELECT coalesce(${ofPage}, false) FROM contact_history WHERE project_id = ${projectId} AND contact_id = ${contactId}
     AND subject_id = ${listId} AND kind LIKE 'list.%' ORDER BY id DESC LIMIT 1), false)`;

export class ContactHistoryRepository {
  constructor(private readonly database: Database) {}

  async add(
    projectId: string,
    kind: ContactHistoryKind,
    changed: readonly { segmentId: string; contactId: string }[],
  ): Promise<void> {
    const { contacts, segments, contactIndexes, segmentIndexes } = pairsOf(changed);
    await this.database.query(
      recordsHistory(
        `(SELECT $1::uuid AS project_id, ($3::uuid[])[contact] AS contact_id, $2 AS kind, ($4::uuid[])[segment] AS subject_id
          FROM unnest($5::int[], $6::int[]) AS pairs (contact, segment))`,
      ),
      [projectId, kind, contacts, segments, contactIndexes, segmentIndexes],
    );
  }

  async page(projectId: string, { contactId, limit, after }: ActivityQuery): Promise<HistoryRow[]> {
    return this.database.query(
      `SELECT h.id, h.kind, h.source, h.subject_id AS "subjectId", coalesce(list.name, segment.name) AS "subjectName"
       FROM (
         SELECT id, kind, subject_id, source FROM contact_history WHERE project_id = $1 AND contact_id = $2 AND id < $3 ORDER BY id DESC LIMIT $4
       ) AS h
       LEFT JOIN lists list ON list.project_id = $1 AND list.id = h.subject_id
       LEFT JOIN segments segment ON segment.project_id = $1 AND segment.id = h.subject_id
       ORDER BY h.id DESC`,
      [projectId, contactId, idsBefore(after), limit],
    );
  }

  async removeOf(projectId: string, contactIds: readonly string[]): Promise<void> {
    await this.database.query(
      `DELETE FROM contact_history WHERE project_id = $1 AND contact_id = ANY ($2::uuid[])`,
      [projectId, contactIds],
    );
  }
}

export function activityOf({ id, kind, subjectId, subjectName, source }: HistoryRow): Activity {
  const ofList = kind.startsWith('list.');
  const data = ofList
    ? { listId: subjectId, listName: subjectName }
    : { segmentId: subjectId, segmentName: subjectName };
  return { id, at: instantOf(id), kind, data: { ...data, ...(source ? { source } : {}) } };
}
