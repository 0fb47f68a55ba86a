/**
 * Part of a statement that limits its waiting for each lock to the `parameter`, such as '200ms'; null changes nothing. In the statement itself, because another round
 * trip costs more than the statement; in a transaction it also applies to what follows. The first part that reads rows has the condition `lockTimeoutIsSet`.
 */
export const lockTimeout = (parameter: string): string =>
  `lock_limit AS MATERIALIZED (SELECT set_config('lock_timeout', ${parameter}::text, true) AS set WHERE ${parameter}::text IS NOT NULL)`;

export const lockTimeoutIsSet = `(SELECT count(set) FROM lock_limit) IS NOT NULL`;
