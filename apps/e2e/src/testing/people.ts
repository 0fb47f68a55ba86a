import type { Operator } from './bad-input.js';
import type { RunningPosthorn } from './running-posthorn.js';

export interface Account {
  email: string;
  password: string;
}

/** Somebody who is signed in. */
export interface Person extends Account {
  userId: string;
  /** What their browser sends with each request from a page of ours. */
  headers: Record<string, string>;
}

/** The default of PUBLIC_URL: these products listen where there is room, and do not know where. */
const ownOrigin = 'http://localhost:3000';
let positions = 0;

/** From an address of its own, since tries are limited by it: the product has to trust the proxy that this is. */
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

/** Without its signature: the token is what would open the account. */
export const sessionTokenIn = (cookie: string): string =>
  decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1)).split('.')[0]!;

export async function makeUser(operator: Operator, email: string): Promise<Account & { id: string }> {
  const { id, password } = await operator('users', 'create', '--email', email, '--name', 'Ada', '--verified');
  return { id: id!, email, password: password! };
}
