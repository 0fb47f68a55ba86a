import { today } from '../allowances/allowance-sql.js';
import { lanes } from '../delivery/delivery.entity.js';

export interface WarmUp {
  /** Messages of a domain on its first day. */
  messages: number;
  /** Percent that each following day adds. */
  growth: number;
  /** A domain that was added before then sends as much as it likes. */
  days: number;
}

/** Makes and locks the rows of the domains that warm up, of a query with the columns project_id and sender_domain. */
export const lockWarmUps = (requested: string, { days }: WarmUp): string => `
    INSERT INTO domain_warm_ups AS w (project_id, domain, first_day, day)
    SELECT DISTINCT r.project_id, r.sender_domain, ${today}, ${today} FROM (${requested}) AS r
    JOIN domains d ON d.project_id = r.project_id AND d.domain = r.sender_domain
    WHERE d.created_at > now() - interval '${days} days' ORDER BY 1, 2
    ON CONFLICT (project_id, domain) DO UPDATE SET day = ${today}, sent = CASE WHEN w.day = ${today} THEN w.sent ELSE 0 END
    RETURNING 1`;

/** What is left for the domain of a row of `r` today, as `warm_up_left`; null where it does not warm up. */
export const warmUpLeft = ({ messages, growth, days }: WarmUp): string => `
      (SELECT floor(${messages} * power(1 + ${growth}::float8 / 100, ${today} - w.first_day)) - w.sent FROM domain_warm_ups w
       WHERE w.project_id = r.project_id AND w.domain = r.sender_domain AND w.day = ${today} AND ${today} - w.first_day < ${days}) AS warm_up_left`;

/** All mail counts, but only marketing mail waits. */
export const isOverWarmUp = (rank: string): string => `lane = ${lanes.bulk} AND ${rank} > warm_up_left`;

export const addWarmUps = (marked: string): string => `
    UPDATE domain_warm_ups w SET sent = w.sent + sent.count
    FROM (SELECT project_id, sender_domain, count(*)::int AS count FROM (${marked}) AS m GROUP BY project_id, sender_domain) AS sent
    WHERE w.project_id = sent.project_id AND w.domain = sent.sender_domain`;
