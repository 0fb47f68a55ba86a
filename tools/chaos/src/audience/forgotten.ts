import { readFileSync } from 'node:fs';
import type { ServiceName } from '@posthorn/contracts';
import { filesBelow } from '@posthorn/testing';
import type { Books } from '../books.js';
import type { Difference } from './audience-books.js';
import { farewellEvent, goneWords } from './deeds.js';

const services: readonly ServiceName[] = ['gateway', 'sending', 'contacts', 'campaigns', 'workflows', 'analytics'];

/** Where somebody who was deleted is still known, after every erasure has been reported complete. */
export async function remembered(books: Books, projectId: string, gone: number, natsDirectory: string): Promise<Difference[]> {
  const tables = await Promise.all(services.map((service) => tablesHolding(books, service)));
  const files = filesBelow(natsDirectory).filter((file) => new RegExp(goneWords).test(readFileSync(file, 'latin1')));
  const places = [...tables.flat(), ...(files.length > 0 ? [`${files.length} files of NATS`] : [])];
  return [
    ...places.map((place) => ({ what: `addresses of people who are gone in ${place}`, kept: 'some', counted: 'none' })),
    ...(await reports(books, projectId, gone)),
  ];
}

/** Each has a report, and nothing sealed in it; what they did stays in the statistics. */
async function reports(books: Books, projectId: string, gone: number): Promise<Difference[]> {
  const [row] = await books.ask<{ complete: string; counted: string }>(
    'contacts',
    `SELECT (SELECT count(*) FROM erasures WHERE project_id = $1 AND completed_at IS NOT NULL AND sealed IS NULL) AS complete,
            (SELECT coalesce(sum(count), 0) FROM (SELECT count FROM event_names WHERE project_id = $1 AND name = '${farewellEvent}'
              UNION ALL SELECT count FROM event_count_deltas WHERE project_id = $1 AND name = '${farewellEvent}') AS parts) AS counted`,
    [projectId],
  );
  const { complete, counted } = row!;
  return [
    ...(Number(complete) === gone ? [] : [{ what: 'reports of erasures', kept: complete, counted: String(gone) }]),
    ...(Number(counted) === gone ? [] : [{ what: 'events of people who are gone', kept: counted, counted: String(gone) }]),
  ];
}

async function tablesHolding(books: Books, service: ServiceName): Promise<string[]> {
  const tables = await books.ask<{ name: string }>(
    service,
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const holding: string[] = [];
  for (const { name } of tables) {
    const found = await books.ask(service, `SELECT 1 FROM ${name} AS content WHERE to_jsonb(content)::text ~ $1 LIMIT 1`, [goneWords]);
    if (found.length > 0) holding.push(`${service}'s ${name}`);
  }
  return holding;
}
