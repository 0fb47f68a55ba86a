import { databaseOf, inDatabase } from '../databases.js';
import type { Servers } from '../product.js';
import type { Fixture } from './fixture.js';

/** Every count beside a recount, and the members of segments beside their conditions. */
const counts: Record<string, [counted: string, recounted: string]> = {
  contacts: [
    `SELECT sum(total) FROM (SELECT total FROM contact_counts WHERE project_id = $1 UNION ALL SELECT total FROM contact_count_deltas WHERE project_id = $1) AS parts`,
    `SELECT count(*) FROM contacts WHERE project_id = $1`,
  ],
  'events by name': [
    `SELECT sum(count) FROM (SELECT count FROM event_names WHERE project_id = $1 UNION ALL SELECT count FROM event_count_deltas WHERE project_id = $1) AS parts`,
    `SELECT count(*) FROM events WHERE project_id = $1`,
  ],
  'events by contact': [
    `SELECT sum(count) FROM event_summaries WHERE project_id = $1`,
    `SELECT count(*) FROM events WHERE project_id = $1`,
  ],
  'members of lists': [
    `SELECT sum(confirmed) FROM (SELECT confirmed FROM list_counts WHERE project_id = $1 UNION ALL SELECT confirmed FROM list_count_deltas WHERE project_id = $1) AS parts`,
    `SELECT count(*) FROM memberships WHERE project_id = $1 AND status = 'CONFIRMED'`,
  ],
  'members of segments': [
    `SELECT sum(total) FROM (SELECT total FROM segment_counts WHERE project_id = $1 UNION ALL SELECT total FROM segment_count_deltas WHERE project_id = $1) AS parts`,
    `SELECT count(*) FROM segment_members WHERE project_id = $1`,
  ],
};

/** Nothing was measured that was not done. */
export async function agreeOnAudience({ databaseUrl }: Servers, { api }: Fixture): Promise<void> {
  await inDatabase(databaseOf(databaseUrl, 'contacts'), async (client) => {
    const numberOf = async (sql: string) =>
      Number(Object.values((await client.query<object>(sql, [api.projectId])).rows[0]!)[0]);
    for (const [name, [counted, recounted]] of Object.entries(counts)) {
      const [text, there] = [await numberOf(counted), await numberOf(recounted)];
      if (text !== there) throw new Error(`${name}: ${text} counted, ${there} are there`);
      console.log(`rows: ${there} ${name} = ${text} counted`);
    }
  });
  await agreeOnMembers(api);
}

/** Of the segments that time does not change. */
async function agreeOnMembers(api: Fixture['api']): Promise<void> {
  const { data } = await api.get<{ data: { name: string; condition: object; member_count: number }[] }>(
    '/api/v1/segments?limit=100',
  );
  const steady = data.filter(({ condition }) => !/"unit":"/.test(JSON.stringify(condition)));
  for (const { name, condition, member_count: members } of steady) {
    const { count } = await api.post<{ count: number }>('/api/v1/segments/preview', { condition });
    if (count !== members) throw new Error(`${name}: ${members} members, and ${count} match`);
  }
  console.log(`rows: the members of ${steady.length} segments are those who match`);
}
