/**
 * Parts of a statement that waits for each lock no longer than its `parameter` says, as '200ms'; null leaves it as it is. By the statement itself, since on the
 * hot path another round trip would cost more than all of it; in a transaction it holds for what follows, too. `lockTimeoutIsSet` stands where rows are read first.
 */
export const lockTimeout = (parameter: string): string =>
  `patience AS MATERIALIZED (SELECT set_config('lock_timeout', ${parameter}::text, true) AS set WHERE ${parameter}::text IS NOT NULL)`;

export const lockTimeoutIsSet = `(SELECT count(set) FROM patience) IS NOT NULL`;
