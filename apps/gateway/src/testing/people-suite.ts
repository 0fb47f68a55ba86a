import { randomInt } from 'node:crypto';
import { Secrets } from '@posthorn/platform';
import { testSecret, type FixtureOptions } from '@posthorn/testing';
import type { SealedMail } from '../system-mails/system-mails.repository.js';
import { openedMail, type SystemMail } from '../system-mails/system-mails.js';
import { startGatewaySuite, type Request, type GatewaySuite, type Published } from './gateway-suite.js';

export const origin = 'http://localhost:3000';
export const password = 'correct horse battery';

export interface PeopleSuite extends GatewaySuite {
  /** A new browser with its own address, because limits are per address. */
  visitor(): Visitor;
  /** Waiting mails of this user, oldest first; there is no sending service here. */
  mailsTo(email: string): Promise<SystemMail[]>;
  /** The token of the newest link in a mail to this user. */
  tokenFor(email: string): Promise<string>;
  /** Signed up, confirmed and signed in. */
  buildPerson(email: string): Promise<Visitor>;
}

export async function startPeopleSuite(
  changes: Record<string, string> = {},
  options: FixtureOptions = {},
): Promise<PeopleSuite> {
  const suite = await startGatewaySuite({ TRUSTED_PROXIES: '127.0.0.1', ...changes }, options);
  const visitor = () => new Visitor(suite, changes['PUBLIC_URL'] ?? origin);
  const mailsTo = async (email: string) => (await waiting(suite)).filter(({ to }) => to === email);
  const tokenFor = async (email: string) =>
    /[?&]token=([^&\s]+)/.exec((await mailsTo(email)).at(-1)!.text)![1]!;
  const buildPerson = async (email: string) => {
    await visitor().post('/api/auth/sign-up/email', { name: 'Ada', email, password });
    await visitor().get(`/api/auth/verify-email?token=${await tokenFor(email)}`);
    const person = visitor();
    await person.post('/api/auth/sign-in/email', { email, password });
    return person;
  };
  return { ...suite, visitor, mailsTo, tokenFor, buildPerson };
}

async function waiting({ database }: GatewaySuite): Promise<SystemMail[]> {
  const secrets = new Secrets([testSecret]);
  const rows = await database.query<SealedMail>(
    `SELECT id, sealed FROM system_mails ORDER BY created_at, id`,
  );
  return rows.map((row) => openedMail(secrets, row));
}

/** Keeps cookies like a browser. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  /** A loopback address, because screenshots show it; 127.0.0.1 is the proxy. */
  readonly address = `127.${randomInt(1, 256)}.${randomInt(256)}.${randomInt(1, 255)}`;

  constructor(
    private readonly suite: GatewaySuite,
    private readonly origin: string,
  ) {}

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  get(path: string, request: Request = {}): Promise<Published> {
    return this.request('GET', path, request);
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Published> {
    return this.request('POST', path, { body, headers });
  }

  /** Submits a form. */
  submit(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Published> {
    const body = new URLSearchParams(fields).toString();
    return this.request('POST', path, {
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  }

  async request(method: string, path: string, { body, headers = {} }: Request = {}): Promise<Published> {
    const own = {
      origin: this.origin,
      'x-forwarded-for': this.address,
      ...(this.cookies.size > 0 ? { cookie: this.cookie } : {}),
    };
    const published = await this.suite.request(method, path, { body, headers: { ...own, ...headers } });
    for (const line of published.headers.getSetCookie()) this.keep(line);
    return published;
  }

  private keep(line: string): void {
    const [pair] = line.split(';');
    const [name, ...value] = pair!.split('=');
    if (/max-age=0/i.test(line)) this.cookies.delete(name!);
    else this.cookies.set(name!, value.join('='));
  }
}
