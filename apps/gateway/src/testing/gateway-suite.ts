import {
  noProject,
  apiKeys,
  projects,
  type CreateApiKey,
  type CreatedApiKey,
  type Caller,
  type MemberRole,
} from '@posthorn/contracts';
import { Secrets } from '@posthorn/platform';
import {
  openServiceFixture,
  testSecret,
  textOfResponse,
  type FixtureOptions,
  type ServiceFixture,
} from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startGateway, type RunningGateway } from '../service.js';
import { buildUser, join, signIn, type Person } from './people.js';

export interface Request {
  key?: string | null;
  /** A signed-in client on a trusted origin. */
  as?: SignedIn;
  /** JSON unless it is text or bytes. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Published {
  status: number;
  headers: Headers;
  text: string;
  json: Record<string, unknown>;
  ms: number;
}

/** A signed-in user. */
export interface SignedIn extends Person {
  cookie: string;
}

/** A running gateway with its own database and NATS, but no other service. */
export interface GatewaySuite extends Pick<
  ServiceFixture,
  'bus' | 'connection' | 'database' | 'eventsOf' | 'line' | 'nats' | 'queue'
> {
  gateway: RunningGateway;
  /** A second gateway on the same database and NATS; stopped with the suite. */
  startAnother(changes?: Record<string, string>): Promise<RunningGateway>;
  requestAt(
    gateway: Pick<RunningGateway, 'url'>,
    method: string,
    path: string,
    request?: Request,
  ): Promise<Published>;
  request(method: string, path: string, request?: Request): Promise<Published>;
  buildProject(): Promise<{ projectId: string; caller: Caller }>;
  buildKey(projectId: string, wanted?: Partial<CreateApiKey>): Promise<CreatedApiKey>;
  /** A user with a session; a member of a project if a role is given. */
  buildUser(wanted?: {
    email?: string;
    verified?: boolean;
    projectId?: string;
    role?: MemberRole;
  }): Promise<SignedIn>;
  stop(): Promise<void>;
}

export const operatorOf = (projectId: string): Caller => ({
  projectId,
  actor: { kind: 'OPERATOR', id: 'tests' },
});

export async function startGatewaySuite(
  changes: Record<string, string> = {},
  options: FixtureOptions = {},
): Promise<GatewaySuite> {
  const fixture = await openServiceFixture('gateway', { entities, migrations }, options);
  const { bus } = fixture;
  const environment: Record<string, string> & { POSTHORN_SECRET_KEY: string } = {
    ...fixture.environment,
    POSTHORN_SECRET_KEY: testSecret,
    PORT: '0',
    DRAIN_MS: '0',
    RATE_LIMIT_ENABLED: 'false',
    SIGN_UP: 'open',
    ...changes,
  };
  const gateway = await fixture.carry(startGateway({ environment, processMetrics: false }));
  const others: RunningGateway[] = [];
  return {
    ...fixture,
    gateway,
    startAnother: async (more = {}) => {
      const another = await startGateway({ environment: { ...environment, ...more }, processMetrics: false });
      let ended: Promise<void> | undefined;
      const one = { ...another, stop: () => (ended ??= another.stop()) };
      others.push(one);
      return one;
    },
    requestAt: ({ url }, method, path, request = {}) => requestOver(url, method, path, request),
    request: (method, path, request = {}) => requestOver(gateway.url, method, path, request),
    buildProject: async () => {
      const { id } = await bus.call(projects.create, operatorOf(noProject), { name: 'A project' });
      return { projectId: id, caller: operatorOf(id) };
    },
    buildKey: (projectId, wanted = {}) =>
      bus.call(apiKeys.create, operatorOf(projectId), { name: 'A key', ...wanted }),
    buildUser: async ({ projectId, role = 'OWNER', ...wanted } = {}) => {
      const person = await buildUser(fixture.database, wanted);
      if (projectId) await join(fixture.database, projectId, person, role);
      const secrets = new Secrets(environment.POSTHORN_SECRET_KEY.split(','));
      return { ...person, cookie: await signIn(fixture.database, person, secrets) };
    },
    stop: async () => {
      await Promise.all([gateway, ...others].map((each) => each.stop()));
      await fixture.close();
    },
  };
}

async function requestOver(
  url: string,
  method: string,
  path: string,
  { key, as, body, headers = {} }: Request,
): Promise<Published> {
  const started = performance.now();
  const raw =
    body === undefined || typeof body === 'string' || body instanceof Uint8Array
      ? body
      : JSON.stringify(body);
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(as ? { cookie: as.cookie, origin: 'http://localhost:3000' } : {}),
      ...(raw === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: raw as string | undefined,
  });
  const text = await textOfResponse(response);
  const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, headers: response.headers, text, json, ms: performance.now() - started };
}
