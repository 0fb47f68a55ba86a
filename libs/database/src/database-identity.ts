/** Differs in a dump that is restored elsewhere, and is the same in a physical copy of the cluster. */
export const currentDatabaseIdentity = `(SELECT (SELECT system_identifier FROM pg_control_system()) || '/' || oid FROM pg_database WHERE datname = current_database())`;
