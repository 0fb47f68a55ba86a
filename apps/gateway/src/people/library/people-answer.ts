import { html, type Html } from '../../pages/html.js';
import { notice } from '../../pages/page-kit.js';
import { maxPassword, shortestPassword } from '../people-rules.js';

/** What a page needs of an answer of `/api/auth`. */
export interface PeopleAnswer {
  ok: boolean;
  status: number;
  code: string;
  /** Seconds to wait after too many tries. */
  wait: number | null;
  cookies: readonly string[];
  json: Record<string, unknown>;
}

export async function readAnswer(response: Response): Promise<PeopleAnswer> {
  const text = await response.text();
  const json = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>;
  const wait = response.headers.get('x-retry-after');
  return {
    ok: response.ok,
    status: response.status,
    code: typeof json['code'] === 'string' ? json['code'] : '',
    wait: wait === null ? null : Number(wait),
    cookies: response.headers.getSetCookie(),
    json,
  };
}

export const passwordHint = `At least ${shortestPassword} characters.`;

const texts: Readonly<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD: 'The address or the password is wrong.',
  INVALID_EMAIL: 'This is not an e-mail address.',
  INVALID_PASSWORD: 'The password is wrong.',
  PASSWORD_TOO_SHORT: `The password must have at least ${shortestPassword} characters.`,
  PASSWORD_TOO_LONG: `The password may have at most ${maxPassword} characters.`,
  INVALID_CODE: 'The code is wrong or too old.',
  INVALID_BACKUP_CODE: 'The code is wrong or was used before.',
  INVALID_TWO_FACTOR_COOKIE: 'This took too long. Sign in again.',
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'Too many wrong codes. Sign in again.',
  ACCOUNT_TEMPORARILY_LOCKED: 'Too many wrong codes. Try again in a quarter of an hour.',
};

function textFor({ code, wait }: PeopleAnswer): string {
  if (wait !== null) return `Too many tries. Wait ${wait} seconds, then try again.`;
  return texts[code] ?? 'That did not work. Check what you filled in.';
}

/** What went wrong, above the form that is shown again. */
export const refusal = (answer: PeopleAnswer | null): Html =>
  answer ? notice('wrong', textFor(answer)) : html``;
export const statusOf = (answer: PeopleAnswer | null): { status?: number } =>
  answer ? { status: answer.status } : {};
