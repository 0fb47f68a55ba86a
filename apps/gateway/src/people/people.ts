import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { invalidMember } from '@posthorn/contracts';
import { GatewayConfig } from '../config.js';
import { within } from '../wire/deadline.js';
import type { HttpRequest } from '../wire/fastify.js';
import { headerValues } from '../wire/headers.js';
import { hasSessionCookie, sessionCookieName } from '../identity/session-cookie.js';
import { Identities } from '../identity/identities.js';
import { addressHeader, authPath, isOneLine, isOwnPath } from './people-rules.js';
import { PeopleLibrary } from './library/people-library.js';
import { SignInLimits } from './sign-in-limits/sign-in-limits.js';
import { SignUps } from './sign-ups.js';

export interface PeopleRequest {
  method: 'GET' | 'POST';
  path: string;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  request: HttpRequest;
}

export interface LibraryRoute {
  /** The path of a route, never that of a request. */
  path: string;
  search?: string;
}

/** Of the time in which a request is answered: a password is hashed on purpose slowly. */
const maxWait = 2.5;
const maxAgent = 512;
/** Constant response times hide whether an address has an account; hashing and mail fit into them. */
const steadyMs: Readonly<Record<string, number>> = { '/sign-up/email': 400, '/request-password-reset': 400 };
/** Options that clients cannot change. */
const always: Readonly<Record<string, Record<string, unknown>>> = {
  '/change-password': { revokeOtherSessions: true },
};
const leadingElsewhere = ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL'];

/** The single entry point for sign-up, sign-in, passwords and second factors, with their limits. */
@Injectable()
export class People {
  constructor(
    private readonly config: GatewayConfig,
    private readonly identities: Identities,
    private readonly library: PeopleLibrary,
    private readonly signUps: SignUps,
    private readonly attempts: SignInLimits,
  ) {}

  private get maxWaitMs(): number {
    return this.config.answerWithinMs * maxWait;
  }

  async request({ method, path, query = {}, body, request }: PeopleRequest): Promise<Response> {
    refuseForeignPaths({ ...query, ...body });
    refuseName(body?.['name']);
    const began = performance.now();
    const sent = method === 'GET' ? null : JSON.stringify({ ...body, ...always[path] });
    const headers = this.headersOf(request);
    if (sent !== null) headers.set('content-type', 'application/json');
    const search = new URLSearchParams(query).toString();
    const handle = () => this.handOn({ path: authPath + path, search }, { method, headers, body: sent });
    const answer = path === '/sign-up/email' ? await this.signUp(body, request, handle) : await handle();
    await delay(Math.max(0, (steadyMs[path] ?? 0) - (performance.now() - began)));
    return answer;
  }

  /** The library's own text says neither the limit nor the wait. */
  private tooOften(path: string, { headers }: Response): Response {
    const wait = headers.get('x-retry-after');
    if (wait === null)
      return Response.json({ message: 'Too many attempts; try again later' }, { status: 429 });
    const message = this.attempts.refusalText(path, Number(wait));
    return Response.json({ message }, { status: 429, headers: { 'x-retry-after': wait } });
  }

  private async signUp(
    body: PeopleRequest['body'],
    { ip }: HttpRequest,
    handle: () => Promise<Response>,
  ): Promise<Response> {
    const refusal = await within(this.maxWaitMs, this.signUps.refusal(body?.['email'], ip));
    if (refusal) return refusal;
    const answer = await handle();
    // A concurrent sign-up with the same address was faster; the retry responds as for any existing account.
    return (await isOutrun(answer)) ? handle() : answer;
  }

  /** The library counts attempts by path before it knows whether the path exists, so it must not be as the client wrote it. */
  async handOn({ path, search = '' }: LibraryRoute, init: RequestInit): Promise<Response> {
    const auth = await this.library.open();
    const url = new URL(path, this.config.publicUrl);
    url.search = search;
    const answer = await within(this.maxWaitMs, auth.handler(new Request(url, init)));
    return answer.status === 429 ? this.tooOften(path.slice(authPath.length), answer) : answer;
  }

  /** A user created by the operator, in the ambient transaction. */
  async create(person: {
    email: string;
    name: string;
    password: string;
    verified: boolean;
  }): Promise<{ id: string } | null> {
    const { internalAdapter, password } = await (await this.library.open()).$context;
    if (await internalAdapter.findUserByEmail(person.email)) return null;
    const { email, name, verified: emailVerified } = person;
    const hash = await password.hash(person.password);
    const { id } = await internalAdapter.createUser(
      { email, name, emailVerified },
      { method: 'email-password' },
    );
    await internalAdapter.linkAccount({
      userId: id,
      providerId: 'credential',
      accountId: id,
      password: hash,
    });
    return { id };
  }

  async verify(email: string): Promise<{ id: string; email: string } | null> {
    const { internalAdapter } = await (await this.library.open()).$context;
    const found = await internalAdapter.findUserByEmail(email);
    if (!found) return null;
    await internalAdapter.updateUser(found.user.id, { emailVerified: true });
    return { id: found.user.id, email: found.user.email };
  }

  headersOf({ raw, ip }: HttpRequest): Headers {
    const headers = new Headers({ [addressHeader]: ip });
    const cookies = this.cookiesOf(headerValues(raw.rawHeaders, 'cookie'));
    const [origin] = headerValues(raw.rawHeaders, 'origin');
    const [agent] = headerValues(raw.rawHeaders, 'user-agent');
    if (cookies) headers.set('cookie', cookies);
    if (origin) headers.set('origin', origin);
    if (agent) headers.set('user-agent', agent.slice(0, maxAgent));
    return headers;
  }

  /** Repeated or foreign session cookies are ignored, because a neighbouring host could have set them. */
  private cookiesOf(cookies: readonly string[]): string {
    const text = cookies.join('; ');
    if (!hasSessionCookie(cookies) || this.identities.sessionToken(cookies) !== null) return text;
    return text
      .split(';')
      .filter((pair) => pair.split('=')[0]!.trim() !== sessionCookieName)
      .join(';');
  }
}

async function isOutrun(answer: Response): Promise<boolean> {
  return answer.status === 422 && (await answer.clone().text()).includes('FAILED_TO_CREATE_USER');
}

function refuseName(name: unknown): void {
  if (typeof name === 'string' && !isOneLine(name))
    throw invalidMember(['name'], 'invalid_text', 'must be one line of 1 to 100 characters');
}

function refuseForeignPaths(members: Record<string, unknown>): void {
  for (const name of leadingElsewhere) {
    const value = members[name];
    if (value !== undefined && !(typeof value === 'string' && isOwnPath(value)))
      throw invalidMember([name], 'not_allowed', 'must be a path of this installation');
  }
}
