import { anyDestination } from './destination.js';

const growthAMinute = 1.25;
const longestWaitSeconds = 600;
const shortestWaitSeconds = 0.5;
const burst = `interval '1 second'`;

/** Messages a second now: it recovers with the time since the last slow-down. The exponent is bounded, so that nothing overflows. */
export const currentRate = (slowed: string): string =>
  `(${slowed}.rate * power(${growthAMinute}, least(extract(epoch FROM now() - ${slowed}.slowed_at)::float8 / 60, 200)))`;

export const hasRecovered = (slowed: string): string => `${currentRate(slowed)} >= ${slowed}.full_rate`;

/** The destination of rows of `r` with the column `destination`, as `place.destination`, and what slows it and all mail down. */
export const slowDownSources = (provider: string): string => `
    LEFT JOIN destination_domains known ON known.domain = r.destination
    CROSS JOIN LATERAL (SELECT coalesce(known.destination, r.destination) AS destination) AS place
    LEFT JOIN slowed_destinations slow ON slow.provider = ${provider} AND slow.destination = place.destination AND NOT ${hasRecovered('slow')}
    LEFT JOIN slowed_destinations slow_all ON slow_all.provider = ${provider} AND slow_all.destination = '${anyDestination}' AND NOT ${hasRecovered('slow_all')}`;

export const slowDownColumns = `place.destination, slow.next_at AS slow_next_at, ${currentRate('slow')} AS slow_rate,
      slow_all.next_at AS slow_all_next_at, ${currentRate('slow_all')} AS slow_all_rate`;

const slotAt = (prefix: string, rank: string): string =>
  `(greatest(${prefix}_next_at, now() - ${burst}) + (${rank} - 1) / ${prefix}_rate * interval '1 second')`;

/** When the message of these ranks may leave; null where nothing slows it down. */
export const slotOf = (rank: string, rankOfAll: string): string =>
  `greatest(CASE WHEN slow_next_at IS NOT NULL THEN ${slotAt('slow', rank)} END, CASE WHEN slow_all_next_at IS NOT NULL THEN ${slotAt('slow_all', rankOfAll)} END)`;

/** Until a slot is likely; a message that then gets none waits again. */
export const slotWaitMs = (slot: string): string =>
  `(1000 * least(greatest(extract(epoch FROM ${slot} - now())::float8, ${shortestWaitSeconds}), ${longestWaitSeconds}))`;

/** Takes a slot for each row of a query with the column `destination`. */
export const takeSlots = (provider: string, taken: string): string => `
    UPDATE slowed_destinations s SET next_at = greatest(s.next_at, now() - ${burst}) + taken.count / ${currentRate('s')} * interval '1 second'
    FROM (SELECT coalesce(destination, '${anyDestination}') AS destination, count(*) AS count FROM (${taken}) AS t
          GROUP BY GROUPING SETS ((destination), ()) HAVING count(*) > 0) AS taken
    WHERE s.provider = ${provider} AND s.destination = taken.destination`;
