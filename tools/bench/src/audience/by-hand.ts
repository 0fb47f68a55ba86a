import type { TypicalCondition } from './conditions.js';

/** What somebody writes who knows the tables; the first parameter is the project. */
const shown = `c.id, c.email, c.subscribed, c.custom_fields AS data, c.created_at, c.updated_at`;
const newestFirst = `ORDER BY c.created_at DESC, c.id DESC LIMIT 100`;
const members = `SELECT m.id, m.contact_id, c.email, m.status, m.created_at, m.updated_at
  FROM memberships m JOIN contacts c ON c.project_id = m.project_id AND c.id = m.contact_id WHERE m.project_id = $1 AND m.list_id = $2`;

export const handWritten = {
  page: `SELECT ${shown} FROM contacts c WHERE c.project_id = $1 AND (c.created_at, c.id) < ($2, $3) ${newestFirst}`,
  search: `SELECT ${shown} FROM contacts c WHERE c.project_id = $1 AND c.email LIKE '%' || $2 || '%' ${newestFirst}`,
  members: `${members} AND (m.created_at, m.id) < ($3, $4) ORDER BY m.created_at DESC, m.id DESC LIMIT 100`,
  segmentContacts: `SELECT ${shown} FROM segment_members m JOIN contacts c ON c.project_id = m.project_id AND c.id = m.contact_id
    WHERE m.project_id = $1 AND m.segment_id = $2 AND m.contact_id < $3 ORDER BY m.contact_id DESC LIMIT 100`,
} as const;

/** As one row: how many match, ten of them, and how many each filter leaves out. */
export function previewByHand({ joins, filters, match }: TypicalCondition): string {
  const from = `FROM contacts c ${joins} WHERE c.project_id = $1`;
  const left = filters.map((filter) => `count(*) FILTER (WHERE (${filter}) IS NOT TRUE)`).join(', ');
  return `SELECT counted.*, (SELECT json_agg(s) FROM (SELECT ${shown} ${from} AND (${match}) LIMIT 10) AS s) AS sample
    FROM (SELECT count(*) FILTER (WHERE ${match})::int AS count, ARRAY[${left}]::int[] AS excluded ${from}) AS counted`;
}

export const upsertByHand = `INSERT INTO reference_contacts AS known (project_id, email, subscribed, custom_fields) VALUES ($1, $2, true, $3)
  ON CONFLICT (project_id, email) DO UPDATE SET custom_fields = known.custom_fields || excluded.custom_fields, updated_at = now() RETURNING id`;
export const eventByHand = `INSERT INTO reference_events (contact_id, name, payload) VALUES ($1, $2, $3) RETURNING id`;
