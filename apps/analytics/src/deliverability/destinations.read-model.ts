import type { AnalyticsWindow } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { unfoldedSql } from '../mail-counts/count-deltas.repository.js';
import type { FullCounts } from '../mail-counts/mail-counts.repository.js';
import { measures, sumsOf } from '../mail-counts/measures.js';

export interface CountsOfDestination extends FullCounts {
  domain: string;
  destination: string;
}

const columns = `owner, at, key, ${measures.join(', ')}`;
const within = `kind = 'domain_destination' AND owner = ANY ($2::text[]) AND at BETWEEN date_trunc('day', $3::timestamptz, 'UTC') AND $4`;

/** Where the mail of each sending domain went: one range of the primary key for each domain. */
export class Destinations {
  constructor(private readonly database: Database) {}

  of(
    projectId: string,
    domains: readonly string[],
    { from, to }: AnalyticsWindow,
  ): Promise<CountsOfDestination[]> {
    return this.database.query(
      `SELECT owner AS domain, key AS destination, ${sumsOf('c')} FROM (
         SELECT ${columns} FROM mail_counts WHERE project_id = $1 AND NOT hourly AND ${within}
         UNION ALL
         SELECT ${columns} FROM (${unfoldedSql('false', "''")} AND kind = 'domain_destination') AS unfolded WHERE ${within}
       ) AS c GROUP BY owner, key ORDER BY owner, key`,
      [projectId, domains, from, to],
    );
  }
}
