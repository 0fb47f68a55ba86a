import { anyDestination } from './destination.js';

const growthAMinute = 1.25;
/** A shorter wait is not worth a way back to the queue. */
const tolerance = `interval '100 milliseconds'`;
/** Turns are given so far ahead; the rate may have recovered later. */
const turnHorizon = `interval '10 minutes'`;
const turnHorizonMs = 600_000;

/** Messages a second now: it recovers with the time since the last slow-down. The exponent is bounded, so that nothing overflows. */
export const currentRate = (slowed: string): string =>
  `(${slowed}.rate * power(${growthAMinute}, least(extract(epoch FROM now() - ${slowed}.slowed_at)::float8 / 60, 200)))`;

export const hasRecovered = (slowed: string): string => `${currentRate(slowed)} >= ${slowed}.full_rate`;

/** Read once: mostly there is none, and then nothing else is looked up. */
export const slowedDestinations = (providerKind: string): string => `slowed_now AS MATERIALIZED (
    SELECT destination, ${currentRate('s')} AS rate FROM slowed_destinations s WHERE provider = ${providerKind} AND NOT ${hasRecovered('s')}
  )`;

/** Of the rows of `r` with the columns `destination` and `project_id`, and their delivery `d`: the slowest that applies, as `slow`, and how it is shared, as `line`. */
export const slowDownJoins = (providerKind: string): string => `
    LEFT JOIN destination_domains recipient_domain ON (SELECT count(*) FROM slowed_now) > 0 AND recipient_domain.domain = r.destination
    LEFT JOIN LATERAL (
      SELECT s.destination, s.rate FROM slowed_now s WHERE s.destination IN (r.destination, recipient_domain.destination, '${anyDestination}') ORDER BY s.rate LIMIT 1
    ) AS slow ON true
    LEFT JOIN LATERAL (
      SELECT max(t.last_turn_at) FILTER (WHERE t.project_id = r.project_id AND t.lane = d.lane) AS last_turn_at,
        1 + count(*) FILTER (WHERE t.last_turn_at > now() AND NOT (t.project_id = r.project_id AND t.lane = d.lane)) AS line_count
      FROM destination_lines t WHERE slow.destination IS NOT NULL AND t.provider = ${providerKind} AND t.destination = slow.destination
    ) AS line ON true`;

export const slowDownColumns = `slow.destination AS slow_destination, slow.rate AS slow_rate, line.last_turn_at, line.line_count, d.has_turn`;

/** When the message of this rank in the line of its project and lane may leave: each line gets an equal share of the rate. */
export const turnOf = (rank: string): string =>
  `greatest(last_turn_at, now()) + ${rank} * line_count / slow_rate * interval '1 second'`;

export const isTurnAhead = (turnAt: string): string => `${turnAt} > now() + ${tolerance}`;

export const isReserved = (turnAt: string): string => `${turnAt} <= now() + ${turnHorizon}`;

/** Until its turn; without one until it is looked at again, spread so that they do not come together. */
export const turnWaitMs = (turnAt: string): string =>
  `CASE WHEN ${isReserved(turnAt)} THEN extract(epoch FROM ${turnAt} - now())::float8 * 1000 ELSE ${turnHorizonMs} * (1 + random() / 2) END`;

/** Keeps the turns that the rows of a query took or were given. */
export const keepTurns = (providerKind: string, given: string): string => `
    INSERT INTO destination_lines AS line (provider, destination, project_id, lane, last_turn_at)
    SELECT ${providerKind}, slow_destination, project_id, lane, max(turn_at) FROM (${given}) AS given
    GROUP BY slow_destination, project_id, lane ORDER BY slow_destination, project_id, lane
    ON CONFLICT (provider, destination, project_id, lane) DO UPDATE SET last_turn_at = greatest(line.last_turn_at, excluded.last_turn_at) RETURNING 1`;
