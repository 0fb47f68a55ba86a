import { scopes, type Scope } from '@posthorn/contracts';
import { newId, type Database } from '@posthorn/database';
import { hashOfToken } from '../identity/tokens.js';
import { mintDelegatedToken } from '../oauth/oauth-rules.js';
import type { Person } from './people.js';

export interface Delegated {
  token: string;
  tokenId: string;
  grantId: string;
  clientId: string;
}

/** The result of an authorization without going through the flow. */
export async function delegate(
  database: Database,
  projectId: string,
  { userId }: Pick<Person, 'userId'>,
  granted: readonly Scope[] = scopes,
): Promise<Delegated> {
  const made = { token: mintDelegatedToken('access'), tokenId: newId(), grantId: newId(), clientId: newId() };
  const list = JSON.stringify(granted);
  await database.query(
    `WITH client AS (INSERT INTO oauth_clients (id, "clientId", name, "redirectUris") VALUES (gen_random_uuid(), $1, 'An application', '[]'))
     INSERT INTO oauth_consents (id, "clientId", "userId", "referenceId", scopes, "createdAt", "updatedAt")
     VALUES ($2, $1, $3, $4, $5, now(), now())`,
    [made.clientId, made.grantId, userId, projectId, list],
  );
  await database.query(
    `INSERT INTO oauth_access_tokens (id, token, "clientId", "userId", "referenceId", scopes, "createdAt", "expiresAt")
     VALUES ($1, $2, $3, $4, $5, $6, now(), now() + interval '1 hour')`,
    [made.tokenId, hashOfToken(made.token), made.clientId, userId, projectId, list],
  );
  return made;
}
