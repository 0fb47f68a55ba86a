import { withoutIndexes } from '../../audience/without-indexes.js';
import { nthReader, type Audience } from '../../campaigns/audiences.js';
import { databaseOf, inDatabase } from '../../databases.js';
import type { Servers } from '../../product.js';

export interface Groups {
  /** Half of all contacts. */
  large: string;
  small: string;
  /** A segment with a few members. */
  segment: string;
  /** One whose condition matches thousands. */
  matching: string;
}

const smallList = 200;

interface Made {
  id: string;
}

/** Lists and segments that campaigns are sent to. */
export async function makeGroups(servers: Servers, { api, contacts }: Audience): Promise<Groups> {
  const [large, small] = [
    await api.post<Made>('/api/v1/lists', { name: 'Half' }),
    await api.post<Made>('/api/v1/lists', { name: 'Few' }),
  ];
  await inDatabase(databaseOf(servers.databaseUrl, 'contacts'), async (client) => {
    await withoutIndexes(client, ['memberships'], async () => {
      for (const [list, members] of [
        [large, Math.floor(contacts / 2)],
        [small, smallList],
      ] as const)
        await client.query(membersSql(list === large), [api.projectId, list.id, members]);
    });
    await client.query(
      `INSERT INTO list_counts (project_id, list_id, pending, confirmed, unsubscribed)
       SELECT project_id, list_id, 0, count(*), 0 FROM memberships WHERE project_id = $1 GROUP BY 1, 2`,
      [api.projectId],
    );
  });
  const segment = await api.post<Made>('/api/v1/segments', { name: 'By hand', type: 'STATIC' });
  await api.post(`/api/v1/segments/${segment.id}/members`, {
    emails: Array.from({ length: 100 }, (_, n) => nthReader(1_000 + n)),
  });
  const matching = await api.post<Made>('/api/v1/segments', {
    ...{ name: 'By condition', type: 'DYNAMIC', track_membership: true },
    condition: addressContains('reader-12'),
  });
  return { large: large.id, small: small.id, segment: segment.id, matching: matching.id };
}

export const addressContains = (value: string): object => ({
  logic: 'AND',
  groups: [{ filters: [{ field: 'email', operator: 'contains', value }] }],
});

/** The large list has the first contacts, the small one the last. */
const membersSql = (
  isFirst: boolean,
): string => `INSERT INTO memberships (project_id, list_id, contact_id, id, status, created_at, updated_at)
  SELECT project_id, $2::uuid, id, uuidv7(), 'CONFIRMED', now(), now() FROM contacts WHERE project_id = $1 ORDER BY id ${isFirst ? 'ASC' : 'DESC'} LIMIT $3`;
