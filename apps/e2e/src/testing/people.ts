import type { Operator } from './bad-input.js';
import type { RunningPosthorn } from './running-posthorn.js';

export interface Account {
  email: string;
  password: string;
}

/** A signed-in user. */
export interface Person extends Account {
  userId: string;
  /** Headers of a browser on a trusted origin. */
  headers: Record<string, string>;
}

/** The default of PUBLIC_URL: these products listen on free ports and do not know them. */
const ownOrigin = 'http://localhost:3000';
let positions = 0;

/** Uses its own address, because attempts are limited by address; the product must trust this proxy. */
export async function signIn(posthorn: RunningPosthorn, { email, password }: Account): Promise<Person> {
  const index = (positions += 1);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Firefox on Linux',
    'x-forwarded-for': `10.0.${index >> 8}.${index & 255}`,
  };
  const body = JSON.stringify({ email, password });
  const response = await fetch(`${posthorn.dev.baseUrl}/api/auth/sign-in/email`, {
    method: 'POST',
    headers,
    body,
  });
  if (!response.ok) throw new Error(`${email} cannot sign in: ${await response.text()}`);
  const { user } = (await response.json()) as { user: { id: string } };
  const cookie = response.headers.getSetCookie()[0]!.split(';')[0]!;
  for (const secret of [password, sessionTokenIn(cookie)]) posthorn.keepSecret(secret);
  return { email, password, userId: user.id, headers: { cookie, origin: ownOrigin } };
}

/** Without the signature: the token is the secret. */
export const sessionTokenIn = (cookie: string): string =>
  decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1)).split('.')[0]!;

export async function makeUser(operator: Operator, email: string): Promise<Account & { id: string }> {
  const { id, password } = await operator('users', 'create', '--email', email, '--name', 'Ada', '--verified');
  return { id: id!, email, password: password! };
}
