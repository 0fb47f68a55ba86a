import { today } from '../allowances/allowance-sql.js';
import { lanes } from '../delivery/delivery-states.js';

export interface WarmUp {
  /** Messages of a domain on its first day. */
  messages: number;
  /** Percent that each following day adds. */
  growth: number;
  /** A domain that was added before then sends as much as it likes. */
  days: number;
}

/** The domain of the project that covers the sender's, which may be a host below it. */
const coveringDomain = `(SELECT d.domain FROM domains d WHERE d.project_id = r.project_id
      AND (d.domain = r.sender_domain OR right(r.sender_domain, length(d.domain) + 1) = '.' || d.domain)
      ORDER BY length(d.domain) DESC LIMIT 1)`;

/** Makes and locks the rows of the domains that warm up, of a query with the columns project_id and sender_domain. */
export const lockWarmUps = (requested: string, { days }: WarmUp): string => `
    INSERT INTO domain_warm_ups AS w (project_id, domain, first_day, day)
    SELECT DISTINCT r.project_id, d.domain, ${today}, ${today} FROM (${requested}) AS r
    JOIN domains d ON d.project_id = r.project_id AND d.domain = ${coveringDomain}
    WHERE d.created_at > now() - interval '${days} days' ORDER BY 1, 2
    ON CONFLICT (project_id, domain) DO UPDATE SET day = greatest(w.day, ${today}), sent = CASE WHEN w.day >= ${today} THEN w.sent ELSE 0 END
    RETURNING 1`;

/** What is left for the domain of a row of `r` today, with the domain; nothing where it does not warm up. */
export const warmUpJoin = ({ messages, growth, days }: WarmUp): string => `
    LEFT JOIN LATERAL (
      SELECT w.domain, floor(${messages} * power(1 + ${growth}::float8 / 100, w.day - w.first_day)) - w.sent AS left_today
      FROM domain_warm_ups w WHERE w.project_id = r.project_id AND w.domain = ${coveringDomain} AND w.day - w.first_day < ${days}
    ) AS warm_up ON true`;

/** All mail that is not exempt counts, but only that of the bulk lane waits. */
export const isOverWarmUp = (rank: string): string => `lane = ${lanes.bulk} AND ${rank} > warm_up_left`;

export const addWarmUps = (marked: string): string => `
    UPDATE domain_warm_ups w SET sent = w.sent + sent.count
    FROM (SELECT project_id, warm_up_domain, count(*)::int AS count FROM (${marked}) AS m GROUP BY project_id, warm_up_domain) AS sent
    WHERE w.project_id = sent.project_id AND w.domain = sent.warm_up_domain RETURNING 1`;
