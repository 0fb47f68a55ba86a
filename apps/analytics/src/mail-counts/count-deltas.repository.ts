import { maxReportHours } from '@posthorn/contracts';
import { columnsOf, type Database } from '@posthorn/database';
import { signals, work } from '@posthorn/work';
import type { CountedRow } from './counted.js';
import { maxOpenKeys, measures, openKinds, sumsOf } from './measures.js';

export const countFoldsWork = work('analytics.count-folds', {
  signal: true,
  exclusive: true,
  mixed: true,
  batch: 20,
  // Many batches of events share a fold.
  intervalMs: 1_000,
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});

export interface CountDelta extends CountedRow {
  /** False for what only a rebuild counts. */
  live: boolean;
  /** True for e-mails that a rebuild has read. */
  rebuilt: boolean;
}

const columns = columnsOf<CountDelta>([
  { column: 'kind', type: 'text', value: ({ kind }) => kind },
  { column: 'owner', type: 'text', value: ({ owner }) => owner },
  { column: 'hour', type: 'timestamptz', value: ({ hour }) => new Date(hour) },
  { column: 'key', type: 'text', value: ({ key }) => key },
  { column: 'live', type: 'boolean', value: ({ live }) => live },
  { column: 'rebuilt', type: 'boolean', value: ({ rebuilt }) => rebuilt },
  ...measures.map((measure) => ({
    column: measure,
    type: 'int',
    value: ({ counts }: CountDelta) => counts[measure] ?? 0,
  })),
]);

const names = ['kind', 'owner', 'hour', 'key', 'live', 'rebuilt', ...measures].join(', ');
const rebuildSeed = 46;
const foldSeed = 47;
const lockOf = (seed: number): string => `hashtextextended($1::uuid::text, ${seed})`;
/** Older hours are no longer kept. */
export const oldestHour = `date_trunc('hour', now()) - interval '${maxReportHours} hours'`;
export const openKindsSql = openKinds.map((kind) => `'${kind}'`).join(', ');
const dayOf = (instant: string): string => `date_trunc('day', ${instant}, 'UTC')`;

/** What was counted since the last fold. Nothing else writes the counters, except for the end of a rebuild. */
export class CountDeltas {
  constructor(private readonly database: Database) {}

  /** Up to which e-mail a rebuild has counted; null without one. It stays there until the end of the transaction. */
  async shareRebuild(projectId: string): Promise<string | null> {
    await this.database.often(`SELECT pg_advisory_xact_lock_shared(${lockOf(rebuildSeed)})`, [projectId]);
    const [row] = await this.database.often<{ after: string }>(
      `SELECT after_email AS after FROM mail_count_rebuilds WHERE project_id = $1`,
      [projectId],
    );
    return row?.after ?? null;
  }

  /** Waits for transactions that count events of the project, and holds up later ones. */
  async holdRebuild(projectId: string): Promise<void> {
    await this.database.query(`SELECT pg_advisory_xact_lock(${lockOf(rebuildSeed)})`, [projectId]);
  }

  async insert(projectId: string, deltas: readonly CountDelta[]): Promise<void> {
    if (deltas.length === 0) return;
    await this.database.often(
      `WITH counted AS (
         INSERT INTO mail_count_deltas (project_id, ${names}) SELECT $1::uuid, ${names} FROM ${columns.unnest('d', 2)} RETURNING project_id
       ) ${signals(countFoldsWork, 'counted')}`,
      [projectId, ...columns.values(deltas)],
    );
  }

  /** Waits for a fold of the project, and holds up later ones. */
  async holdFold(projectId: string): Promise<void> {
    await this.database.query(`SELECT pg_advisory_xact_lock(${lockOf(foldSeed)})`, [projectId]);
  }

  /** Adds up to `limit` deltas to the counters; returns how many. One fold of a project at a time. */
  async fold(projectId: string, limit: number): Promise<number> {
    return this.database.transaction(async () => {
      await this.holdFold(projectId);
      const taken = await this.database.query<{ id: string }>(
        `SELECT id FROM mail_count_deltas WHERE project_id = $1 ORDER BY id LIMIT $2`,
        [projectId, limit],
      );
      const ids = taken.map(({ id }) => id);
      if (ids.length === 0) return 0;
      await this.database.query(rememberKeysSql, [projectId, ids]);
      await this.database.query(foldSql, [projectId, ids]);
      return ids.length;
    });
  }
}

/** In the order in which they were counted first, as long as there is room. */
const rememberKeysSql = `
  WITH found AS (
    SELECT kind, owner, key, min(id) AS id FROM mail_count_deltas
    WHERE project_id = $1 AND id = ANY ($2::bigint[]) AND kind IN (${openKindsSql}) GROUP BY kind, owner, key
  ), new AS (
    SELECT f.*, row_number() OVER (PARTITION BY kind, owner ORDER BY id) AS place FROM found f
    WHERE NOT EXISTS (SELECT FROM counted_keys k WHERE k.project_id = $1 AND k.kind = f.kind AND k.owner = f.owner AND k.key = md5(f.key))
  ), known AS (
    SELECT n.kind, n.owner, count(k.key) AS keys FROM (SELECT DISTINCT kind, owner FROM new) AS n
    LEFT JOIN counted_keys k ON k.project_id = $1 AND k.kind = n.kind AND k.owner = n.owner GROUP BY n.kind, n.owner
  )
  INSERT INTO counted_keys (project_id, kind, owner, key, text)
  SELECT $1, kind, owner, md5(key), key FROM new JOIN known USING (kind, owner) WHERE place + keys <= ${maxOpenKeys} ORDER BY kind, owner, md5(key)
  ON CONFLICT DO NOTHING`;

const added = measures.map((measure) => `${measure} = known.${measure} + excluded.${measure}`).join(', ');
const addTo = (table: string, isCounted: string): string => `
    INSERT INTO ${table} AS known (project_id, hourly, kind, owner, at, key, ${measures.join(', ')})
    SELECT $1, hourly, kind, owner, at, key, ${sumsOf('t')} FROM (
      SELECT false AS hourly, ${dayOf('hour')} AS at, d.* FROM named d WHERE ${isCounted}
      UNION ALL SELECT true, hour, d.* FROM named d WHERE ${isCounted} AND kind NOT IN (${openKindsSql}) AND hour >= ${oldestHour}
    ) AS t GROUP BY hourly, kind, owner, at, key ORDER BY hourly, kind, owner, at, key
    ON CONFLICT (project_id, hourly, kind, owner, at, key) DO UPDATE SET ${added}`;

const keyOf = (
  row: string,
  ofUnknown = `''`,
): string => `CASE WHEN ${row}.kind NOT IN (${openKindsSql}) THEN ${row}.key ELSE coalesce(
  (SELECT k.key FROM counted_keys k WHERE k.project_id = $1 AND k.kind = ${row}.kind AND k.owner = ${row}.owner AND k.key = md5(${row}.key)), ${ofUnknown}) END`;

const deltaColumns = ['kind', 'owner', 'hour', 'live', 'rebuilt', ...measures];
const foldSql = `
  WITH taken AS (
    DELETE FROM mail_count_deltas WHERE project_id = $1 AND id = ANY ($2::bigint[]) RETURNING *
  ), named AS MATERIALIZED (
    SELECT ${deltaColumns.join(', ')}, ${keyOf('t')} AS key FROM taken t
  ), folded AS (${addTo('mail_counts', 'live')}
  )${addTo('mail_counts_rebuilt', 'rebuilt')}`;

/** What is not folded yet, as days or hours. `ofUnknown` is the key of a link or tag that the next fold decides about. */
export const unfoldedSql = (hourly: string, ofUnknown: string): string => `
  SELECT kind, owner, CASE WHEN ${hourly} THEN hour ELSE ${dayOf('hour')} END AS at, ${keyOf('d', ofUnknown)} AS key, ${measures.join(', ')}
  FROM mail_count_deltas d WHERE project_id = $1 AND live`;
