import { expect } from '@jest/globals';
import { isUuid } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import { operationsOf, type ApiDocument, type Operation } from '../api-document.js';
import type { Operator } from '../bad-input.js';
import { OwnedProject } from '../owned-project.js';
import { nounOf, nouns, uniqueAddress, uniqueName, type Made } from '../resources.js';
import type { Answer, RunningPosthorn } from '../running-posthorn.js';

export const strangersDomain = 'stranger.example';

/** Entries that the other project's setup adds to the audit log through events. */
const actions = ['domain.verified', 'contact.created', 'campaign.changed', 'workflow.changed'];

/** When a key of the other project was used, which its own requests change. */
const lastUsed = /"last_used_at":(null|"[^"]*")/g;

interface Requested {
  key?: string;
  /** Replaces the credential of the operation. */
  authorization?: string;
  body?: unknown;
  idempotencyKey?: string;
}

interface Requestable {
  path: string;
  body: Record<string, unknown> | undefined;
}

/** The created contact, the recipient and the imported contact. */
const strangersContacts = 3;

/** Nouns whose name is unique in a project. */
const named: ReadonlySet<string> = new Set(['snippets', 'segments']);

/** Two projects of one product: the first calls every route and must not reach rows of the second. */
export class WalkFixture {
  checks = 0;
  readonly walked = new Set<string>();
  private readonly keysWithout = new Map<string, string>();
  private readonly strangersThings: Record<string, Made> = {};
  private readonly bodies = new Map<string, Record<string, unknown> | undefined>();
  private ours: OwnedProject;
  private outsider: OwnedProject;
  /** A revoked key of our project. */
  revoked: string;
  private untouched: Record<string, string>;
  private readonly today = new Date().toISOString().slice(0, 10);

  constructor(
    readonly document: ApiDocument,
    private readonly posthorn: RunningPosthorn,
    private readonly operator: Operator,
  ) {}

  async prepare(): Promise<void> {
    this.ours = await OwnedProject.ours(this.posthorn, this.operator);
    this.outsider = await OwnedProject.ofAStranger(this.posthorn, this.operator);
    await this.operator('domains', 'verify', '--domain', strangersDomain, '--project', this.outsider.id);
    for (const noun of nouns) this.strangersThings[noun] = await this.outsider.make(noun);
    const { id: keyId, token } = (await this.operator('keys', 'create', '--name', 'revoked')) as {
      id: string;
      token: string;
    };
    await this.operator('keys', 'revoke', '--id', keyId);
    this.revoked = token;
    await this.eventsArrived();
    this.untouched = await this.strangersRows();
  }

  get key(): string {
    return this.posthorn.dev.secretKey;
  }

  get publicKey(): string {
    return this.posthorn.dev.publicKey;
  }

  /** All ids of the other project. */
  get strangersUuids(): readonly string[] {
    return this.strangersIds.filter(isUuid);
  }

  /** Names and addresses of the other project's resources. */
  get strangersIds(): readonly string[] {
    return Object.values(this.strangersThings).map(({ id }) => id);
  }

  /** Resources of the other project of the kind that the operation names. */
  strangersThingFor(operation: Operation): Partial<Made> {
    return this.strangersThings[nounOf(operation)] ?? {};
  }

  /** A key of our project with every scope except those of the operation. */
  async keyWithout(
    { 'x-scope': scope, 'x-or-scope': other }: Operation,
    scopes: readonly string[],
  ): Promise<string> {
    const own = `${scope} ${other}`;
    const known = this.keysWithout.get(own);
    if (known) return known;
    const key = await this.keyOf(
      '--scopes',
      scopes.filter((each) => each !== scope && each !== other).join(','),
    );
    this.keysWithout.set(own, key);
    return key;
  }

  /** Calls an operation and checks that the response contains nothing of the other project. */
  async request(
    operation: Operation,
    path: string,
    { key, authorization = key && `Bearer ${key}`, body, idempotencyKey }: Requested = {},
  ): Promise<Answer> {
    const who = authorization === undefined ? this.ours.headersFor(operation) : { authorization };
    const headers = { ...who, ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}) };
    const answer = await this.posthorn.request(operation.method, path, body, headers);
    const shown = this.strangersIds.find((id) => !path.includes(id) && answer.text.includes(id));
    if (shown)
      throw new Error(`${operation.method} ${path} shows ${shown} of another project: ${answer.text}`);
    this.checks += 1;
    this.walked.add(operation.operationId);
    return answer;
  }

  /** A path of our project that exists, for a request that succeeds. */
  pathOf(operation: Operation): Promise<string> {
    return this.ours.pathTo(operation);
  }

  /** The path and body of an operation for requests that are refused. */
  async refusable(operation: Operation): Promise<Requestable> {
    if (!this.bodies.has(operation.operationId))
      this.bodies.set(operation.operationId, await this.bodyOf(operation));
    const path = await this.ours.refusablePathTo(operation);
    return { path, body: this.bodies.get(operation.operationId) };
  }

  /** A path of our project with this id. */
  pathWith(operation: Operation, made: Partial<Made>): string {
    return this.ours.pathWith(operation, made);
  }

  /** The documented example with a new address and existing references. */
  bodyOf(operation: Operation): Promise<Record<string, unknown> | undefined> {
    const example = operation.requestBody?.content['application/json'].example;
    if (example && 'name' in example && named.has(nounOf(operation)))
      return this.ours.freshened({ ...example, name: uniqueName() });
    return this.ours.freshened(
      example && 'email' in example && !operation.path.endsWith('/test')
        ? { ...example, email: uniqueAddress() }
        : example,
    );
  }

  async expectStrangerUntouched(): Promise<void> {
    expect(await this.strangersRows()).toEqual(this.untouched);
    this.checks += 1;
  }

  /** Everything that the other project can read. */
  private async strangersRows(): Promise<Record<string, string>> {
    const v1 = operationsOf(this.document).filter(
      (operation) => operation.method === 'GET' && operation['x-surface'] === 'v1',
    );
    // Single-use resources are gone after reading, and a stream says where it is.
    const lasting = v1.filter(({ path }) => !/\/(?:reveal|stream)$/.test(path));
    const texts = lasting.map(async (operation): Promise<[string, string]> => {
      const path = this.outsider.pathWith(operation, this.strangersThingFor(operation));
      const requested = /\/(?:analytics\/[a-z-]+|events\/stats|deliverability(?:\/dmarc)?)$/.test(path)
        ? `${path}?from=${this.today}&to=${this.today}`
        : path;
      // All at once are more than a busy machine answers in time.
      const { status, text } = await eventually(async () => {
        const answer = await this.posthorn.get(requested, this.outsider.headersFor(operation));
        return answer.status !== 503 && answer;
      }, `GET ${requested} is answered`);
      expect(status).toBe(200);
      return [path, text.replace(lastUsed, '')];
    });
    return Object.fromEntries(await Promise.all(texts));
  }

  /** Contacts, counts and audit entries of the other project are written some time after its requests. */
  private async eventsArrived(): Promise<void> {
    await eventually(async () => {
      const contacts = await this.strangersOwn('/api/v1/contacts');
      const days = await this.strangersOwn(
        `/api/v1/analytics/timeseries?from=${this.today}&to=${this.today}`,
      );
      const done = await this.strangersOwn('/api/v1/audit-log?limit=100');
      const written = actions.every((operation) =>
        done.body.data.some(({ action }: { action: string }) => action === operation),
      );
      return written && contacts.body.data.length === strangersContacts && days.body.data[0].emails === 1;
    }, 'what the message of the stranger brings about');
  }

  private strangersOwn(path: string): Promise<Answer> {
    return this.posthorn.get(path, { authorization: `Bearer ${this.outsider.key}` });
  }

  private async keyOf(...texts: string[]): Promise<string> {
    return (await this.operator('keys', 'create', '--name', 'walk', ...texts))['token']!;
  }
}
