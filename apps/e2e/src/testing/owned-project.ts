import { hash, randomBytes } from 'node:crypto';
import type { ServiceName } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import pg from 'pg';
import type { Operation } from './api-document.js';
import type { Operator } from './bad-input.js';
import { makeUser, signIn, type Person } from './people.js';
import {
  madeOf,
  nounOf,
  tomorrow,
  uniqueAddress,
  uniqueDomain,
  uniqueKey,
  type Made,
  type MakersProject,
} from './resources.js';
import type { Answer, RunningPosthorn } from './running-posthorn.js';

/** A project with a key and its owner, in which resources for paths and bodies are created. */
export class OwnedProject implements MakersProject {
  private colleague: Promise<string> | undefined;
  private partners: Promise<string> | undefined;
  private topics: Promise<unknown> | undefined;
  private readonly lasting = new Map<string, Made>();

  private constructor(
    readonly posthorn: RunningPosthorn,
    private readonly operator: Operator,
    readonly id: string,
    readonly key: string,
    readonly owner: Person,
  ) {}

  /** The demo project and user of `npm start`. */
  static async ours(posthorn: RunningPosthorn, operator: Operator): Promise<OwnedProject> {
    const { projectId, secretKey, user } = posthorn.dev;
    return new OwnedProject(posthorn, operator, projectId, secretKey, await signIn(posthorn, user));
  }

  /** A project of another user. */
  static async ofAStranger(posthorn: RunningPosthorn, operator: Operator): Promise<OwnedProject> {
    const owner = await signIn(posthorn, await makeUser(operator, 'stranger@example.com'));
    const founded = await posthorn.post('/api/v1/users/me/projects', { name: 'Strangers' }, owner.headers);
    const id = founded.body.id as string;
    const { token } = await operator('keys', 'create', '--name', 'walk', '--project', id);
    return new OwnedProject(posthorn, operator, id, token!, owner);
  }

  /** The credential of an operation: the key, or the session if it accepts no keys. */
  headersFor(operation: Operation): Record<string, string> {
    return takesKeys(operation) ? { authorization: `Bearer ${this.key}` } : this.owner.headers;
  }

  async make(noun: string): Promise<Made> {
    return madeOf(noun)(this);
  }

  /** A path that exists; a resource of its own is created for it. */
  async pathTo(operation: Operation): Promise<string> {
    return this.pathWith(operation, hasId(operation) ? await this.make(nounOf(operation)) : {});
  }

  /** For requests that are refused: they change nothing, so that one resource of its kind serves them all. */
  async refusablePathTo(operation: Operation): Promise<string> {
    if (!hasId(operation)) return this.pathWith(operation, {});
    const noun = nounOf(operation);
    const made = this.lasting.get(noun) ?? (await this.make(noun));
    this.lasting.set(noun, made);
    return this.pathWith(operation, made);
  }

  pathWith({ path, parameters = [] }: Operation, { id = '', link = 'no-link' }: Partial<Made>): string {
    const named = path
      .replace('{projectId}', this.id)
      .replace('{version}', '1')
      .replace(/\{\w+\}/g, id);
    return parameters.some(({ in: location, name }) => location === 'query' && name === 'token')
      ? `${named}?token=${link}`
      : named;
  }

  /** The body with values that are valid for one request only. */
  async freshened<Body extends object | undefined>(body: Body): Promise<Body> {
    const fresh = Object.entries(body ?? {}).map(async ([name, value]) => [
      name,
      (await this.freshly[name]?.()) ?? (value as unknown),
    ]);
    return body && (Object.fromEntries(await Promise.all(fresh)) as Body);
  }

  private readonly freshly: Record<string, () => Promise<unknown>> = {
    userId: () => this.joined(),
    user_id: () => this.joined(),
    contactId: () => this.newContact(),
    contact_id: () => this.newContact(),
    token: () => this.invitedElsewhere(),
    domain: () => Promise.resolve(uniqueDomain('asked')),
    key: () => Promise.resolve(uniqueKey()),
    topics: () => this.namedTopics(),
    scheduledFor: () => Promise.resolve(tomorrow()),
    scheduled_for: () => Promise.resolve(tomorrow()),
  };

  private async newContact(): Promise<string> {
    return (await this.make('contacts')).id;
  }

  /** By keys, which a recorded example repeats. */
  private namedTopics(): Promise<Record<string, boolean>> {
    const [news, offers] = ['product-news', 'offers'];
    this.topics ??= Promise.all(
      [news, offers].map((key) => this.requested('POST', '/api/v1/topics', { key, name: 'Offers' }, 'key')),
    );
    return this.topics.then(() => ({ [news!]: true, [offers!]: false }));
  }

  /** The same colleague each time, added again if necessary; an invitation is possible only once a minute. */
  async joined(): Promise<string> {
    const userId = await (this.colleague ??= makeUser(this.operator, uniqueAddress()).then(({ id }) => id));
    await this.query(
      `INSERT INTO members (project_id, user_id, role, created_at) VALUES ($1, $2, 'OWNER', now()), ($1, $3, 'MEMBER', now())
       ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role`,
      [this.id, this.owner.userId, userId],
    );
    return userId;
  }

  /** The token of an invitation for the owner to another project; its mail waits while delivery is paused. */
  private async invitedElsewhere(): Promise<string> {
    const id = await (this.partners ??= this.operator('projects', 'create', '--name', 'Partners').then(
      (made) => made['id']!,
    ));
    const token = randomBytes(32).toString('base64url');
    await this.query('DELETE FROM members WHERE project_id = $1', [id]);
    await this.query(
      `INSERT INTO invitations (project_id, id, email, role, token_hash, created_at, sent_at, expires_at)
       VALUES ($1, gen_random_uuid(), $2, 'MEMBER', $3, now(), now(), now() + interval '1 day')
       ON CONFLICT (project_id, email) DO UPDATE SET token_hash = excluded.token_hash`,
      [id, this.owner.email, hash('sha256', token, 'hex')],
    );
    return token;
  }

  /** Through the API, with the key or as the owner. */
  async requested(
    method: string,
    path: string,
    body: object | undefined,
    as: 'key' | Person,
  ): Promise<Answer> {
    const headers = as === 'key' ? { authorization: `Bearer ${this.key}` } : as.headers;
    const answer = await eventually(async () => {
      const requested = await this.posthorn.request(method, path, body, headers);
      return !isTooBusy(requested) && requested;
    }, `${method} ${path} is answered`);
    if (answer.status >= 300) throw new Error(`nothing of ${path} for the test: ${answer.text}`);
    return answer;
  }

  private query(sql: string, values: unknown[]): Promise<void> {
    return this.write('gateway', sql, values);
  }

  /** For states that take the API too long; one server for all services, or one per service. */
  async write(service: ServiceName, sql: string, values: unknown[]): Promise<void> {
    const { databaseUrls } = this.posthorn.servers;
    const name = `/posthorn_${service}`;
    const url = new URL(databaseUrls.find((each) => each.endsWith(name)) ?? databaseUrls[0]!);
    url.pathname = name;
    const client = new pg.Client({ connectionString: url.toString() });
    await client.connect();
    try {
      await client.query(sql, values);
    } finally {
      await client.end();
    }
  }
}

/** A product that has just started on a busy machine may need longer than a call may take. */
const isTooBusy = ({ status, text }: Answer): boolean =>
  status === 503 || (status === 500 && text.includes('The outcome is unknown'));

/** The path names something inside the project. */
export const hasId = ({ path }: Operation): boolean => path.replace('{projectId}', '').includes('{');

export const takesKeys = ({ 'x-callers': callers }: Operation): boolean =>
  callers.includes('SECRET') || callers.includes('PUBLIC');
