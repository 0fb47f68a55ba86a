/** Without another round trip; the first part that reads rows has the condition `lockTimeoutIsSet`. */
export const lockTimeout = (parameter: string): string =>
  `lock_limit AS MATERIALIZED (SELECT set_config('lock_timeout', ${parameter}::text, true) AS set WHERE ${parameter}::text IS NOT NULL)`;

export const lockTimeoutIsSet = `(SELECT count(set) FROM lock_limit) IS NOT NULL`;
