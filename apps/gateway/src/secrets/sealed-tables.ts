import type { SealedTable } from '@posthorn/platform';

/** Used when the sealing code does not know the row. */
export const sharedPlaceId = '00000000-0000-0000-0000-000000000000';

export const sealedTables: readonly SealedTable[] = [
  { table: 'api_key_reveals', project: 'project_id', id: 'key_id', sealed: 'sealed' },
  { table: 'system_mails', project: null, id: 'id', sealed: 'sealed' },
  { table: 'auth_secrets', project: null, id: 'id', sealed: 'sealed' },
  { table: 'oauth_clients', project: null, id: 'id', sealed: '"clientSecret"', placeId: sharedPlaceId },
];
