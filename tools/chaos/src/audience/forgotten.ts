import { readFileSync } from 'node:fs';
import type { ServiceName } from '@posthorn/contracts';
import { filesBelow } from '@posthorn/testing';
import type { Records } from '../judging/records.js';
import type { Difference } from './audience-records.js';
import { erasureEvent, removedText } from './operations.js';

const services: readonly ServiceName[] = [
  'gateway',
  'sending',
  'contacts',
  'campaigns',
  'workflows',
  'analytics',
];

/** Where somebody who was deleted is still known, after every erasure has been reported complete. */
export async function remembered(
  records: Records,
  projectId: string,
  removed: number,
  natsDirectory: string,
): Promise<Difference[]> {
  const tables = await Promise.all(services.map((service) => tablesHolding(records, service)));
  const files = filesBelow(natsDirectory).filter((file) =>
    new RegExp(removedText).test(readFileSync(file, 'latin1')),
  );
  const positions = [...tables.flat(), ...(files.length > 0 ? [`${files.length} files of NATS`] : [])];
  return [
    ...positions.map((location) => ({
      what: `addresses of people who are gone in ${location}`,
      kept: 'some',
      counted: 'none',
    })),
    ...(await reports(records, projectId, removed)),
  ];
}

/** Each has a report, and nothing sealed in it; what they did stays in the statistics. */
async function reports(records: Records, projectId: string, removed: number): Promise<Difference[]> {
  const [row] = await records.query<{ complete: string; counted: string }>(
    'contacts',
    `SELECT (SELECT count(*) FROM erasures WHERE project_id = $1 AND completed_at IS NOT NULL AND sealed IS NULL) AS complete,
            (SELECT coalesce(sum(count), 0) FROM (SELECT count FROM event_names WHERE project_id = $1 AND name = '${erasureEvent}'
              UNION ALL SELECT count FROM event_count_deltas WHERE project_id = $1 AND name = '${erasureEvent}') AS parts) AS counted`,
    [projectId],
  );
  const { complete, counted } = row!;
  return [
    ...(Number(complete) === removed
      ? []
      : [{ what: 'reports of erasures', kept: complete, counted: String(removed) }]),
    ...(Number(counted) === removed
      ? []
      : [{ what: 'events of people who are gone', kept: counted, counted: String(removed) }]),
  ];
}

async function tablesHolding(records: Records, service: ServiceName): Promise<string[]> {
  const tables = await records.query<{ name: string }>(
    service,
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const holding: string[] = [];
  for (const { name } of tables) {
    const found = await records.query(
      service,
      `SELECT 1 FROM ${name} AS content WHERE to_jsonb(content)::text ~ $1 LIMIT 1`,
      [removedText],
    );
    if (found.length > 0) holding.push(`${service}'s ${name}`);
  }
  return holding;
}
