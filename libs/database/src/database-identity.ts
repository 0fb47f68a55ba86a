/** The cluster and the database, as text. Other databases of the cluster have other object ids, other clusters other system identifiers: so a dump that is restored elsewhere has another one, and a physical copy the same. */
export const currentDatabaseIdentity = `(SELECT (SELECT system_identifier FROM pg_control_system()) || '/' || oid FROM pg_database WHERE datname = current_database())`;
