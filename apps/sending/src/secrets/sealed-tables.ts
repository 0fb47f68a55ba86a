import type { SealedTable } from '@posthorn/platform';

export const sealedTables: readonly SealedTable[] = [
  { table: 'dkim_keys', project: 'project_id', id: 'id', sealed: 'sealed' },
  { table: 'erasure_secrets', project: null, id: 'id', sealed: 'sealed' },
];
