import { createHmac, randomBytes } from 'node:crypto';
import type { MemberRole } from '@posthorn/contracts';
import { newId, type Database } from '@posthorn/database';
import { Secrets } from '@posthorn/platform';
import { testSecret } from '@posthorn/testing';
import { PeopleSecret } from '../identity/people-secret.js';
import { sessionCookieName } from '../identity/session-cookie.js';
import { hashOfToken } from '../identity/tokens.js';

export interface Person {
  userId: string;
  name: string;
  email: string;
}

/** A user with a verified address, as after sign-up. */
export async function buildUser(
  database: Database,
  { verified = true, ...overrides }: Partial<Person> & { verified?: boolean } = {},
): Promise<Person> {
  const userId = newId();
  const person = { userId, name: 'Ada', email: `ada-${userId}@example.test`, ...overrides };
  await database.query(`INSERT INTO auth_users (id, name, email, "emailVerified") VALUES ($1, $2, $3, $4)`, [
    person.userId,
    person.name,
    person.email,
    verified,
  ]);
  return person;
}

export async function join(
  database: Database,
  projectId: string,
  { userId }: Pick<Person, 'userId'>,
  role: MemberRole,
): Promise<void> {
  await database.query(
    `INSERT INTO members (project_id, user_id, role, created_at) VALUES ($1, $2, $3, now())
     ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role`,
    [projectId, userId, role],
  );
}

/** Creates a session and returns its cookie. */
export async function signIn(
  database: Database,
  { userId }: Pick<Person, 'userId'>,
  secrets?: Secrets,
): Promise<string> {
  const token = randomBytes(24).toString('base64url');
  await database.query(
    `INSERT INTO auth_sessions (id, token, "userId", "expiresAt", "updatedAt") VALUES ($1, $2, $3, now() + interval '1 hour', now())`,
    [newId(), hashOfToken(token), userId],
  );
  return cookieOf(token, await peopleSecretOf(database, secrets));
}

/** The secret of sessions, created by the first gateway of the installation. */
export const peopleSecretOf = async (
  database: Database,
  secrets = new Secrets([testSecret]),
): Promise<string> => (await PeopleSecret.open(database, secrets)).value;

export function cookieOf(token: string, secret: string): string {
  const signature = createHmac('sha256', secret).update(token).digest('base64');
  return `${sessionCookieName}=${encodeURIComponent(`${token}.${signature}`)}`;
}
