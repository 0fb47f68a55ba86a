/** Every entry is quoted: unquoted, `null` is no text, and other entries would fall apart. */
export const textArray = (entries: readonly string[]): string =>
  `{${entries.map((entry) => `"${entry.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

/** Without another round trip; the first part that reads rows has the condition `lockTimeoutIsSet`. */
export const lockTimeout = (parameter: string): string =>
  `lock_limit AS MATERIALIZED (SELECT set_config('lock_timeout', ${parameter}::text, true) AS set WHERE ${parameter}::text IS NOT NULL)`;

export const lockTimeoutIsSet = `(SELECT count(set) FROM lock_limit) IS NOT NULL`;

/** Differs in a dump that is restored elsewhere, and is the same in a physical copy of the cluster. */
export const currentDatabaseIdentity = `(SELECT (SELECT system_identifier FROM pg_control_system()) || '/' || oid FROM pg_database WHERE datname = current_database())`;
