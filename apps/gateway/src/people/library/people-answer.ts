import { html, type Html } from '../../pages/html.js';
import { notice } from '../../pages/page-kit.js';
import { maxPassword, shortestPassword } from '../people-rules.js';
import { signUpRefusals } from '../sign-ups.js';

export interface PeopleAnswer {
  ok: boolean;
  status: number;
  code: string;
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
  ...signUpRefusals,
  INVALID_EMAIL_OR_PASSWORD: 'The e-mail address or password is incorrect.',
  INVALID_EMAIL: 'This is not a valid e-mail address.',
  INVALID_PASSWORD: 'The password is incorrect.',
  PASSWORD_TOO_SHORT: `The password must have at least ${shortestPassword} characters.`,
  PASSWORD_TOO_LONG: `The password may have at most ${maxPassword} characters.`,
  INVALID_CODE: 'The code is incorrect or has expired.',
  INVALID_BACKUP_CODE: 'The code is incorrect or was already used.',
  INVALID_TWO_FACTOR_COOKIE: 'The sign-in has expired. Please sign in again.',
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'Too many incorrect codes. Please sign in again.',
  ACCOUNT_TEMPORARILY_LOCKED: 'Too many incorrect codes. Please try again in 15 minutes.',
};

function textFor({ code, wait }: PeopleAnswer): string {
  if (wait !== null) return `Too many attempts. Please try again in ${wait} seconds.`;
  return texts[code] ?? 'Something went wrong. Please check your entries.';
}

export const refusal = (answer: PeopleAnswer | null): Html =>
  answer ? notice('wrong', textFor(answer)) : html``;
export const statusOf = (answer: PeopleAnswer | null): { status?: number } =>
  answer ? { status: answer.status } : {};
