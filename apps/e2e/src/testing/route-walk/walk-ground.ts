import { expect } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import type { ApiDocument, Operation } from '../api-document.js';
import type { Operator } from '../bad-input.js';
import { make, nounOf, nouns, uniqueAddress, withId } from '../resources.js';
import type { Answer, RunningPosthorn } from '../running-posthorn.js';

export const strangersDomain = 'stranger.example';

/** What the stranger's preparation leaves in the audit log by way of facts. */
const deeds = ['domain.verified', 'contact.created', 'campaign.changed', 'workflow.changed'];

interface Asked {
  key?: string;
  /** Instead of a key. */
  authorization?: string;
  body?: unknown;
}

/** Two projects of one product: every route is asked by the first one, and the second one's rows are what it must not reach. */
export class WalkGround {
  checks = 0;
  readonly walked = new Set<string>();
  private readonly keysWithout = new Map<string, string>();
  private readonly ids: Record<string, string> = {};
  private stranger: string;
  /** A key of our project that was revoked. */
  revoked: string;
  private untouched: Record<string, string>;
  private readonly today = new Date().toISOString().slice(0, 10);

  constructor(
    readonly document: ApiDocument,
    private readonly posthorn: RunningPosthorn,
    private readonly operator: Operator,
  ) {}

  async prepare(): Promise<void> {
    const { id } = (await this.operator('projects', 'create', '--name', 'Strangers')) as { id: string };
    await this.operator('domains', 'verify', '--domain', strangersDomain, '--project', id);
    this.stranger = await this.keyOf('--project', id);
    for (const noun of nouns) this.ids[noun] = await make(this.posthorn, noun, this.stranger);
    const { id: keyId, token } = (await this.operator('keys', 'create', '--name', 'revoked')) as { id: string; token: string };
    await this.operator('keys', 'revoke', '--id', keyId);
    this.revoked = token;
    await this.factsArrived();
    this.untouched = await this.strangersRows();
  }

  get key(): string {
    return this.posthorn.dev.secretKey;
  }

  get publicKey(): string {
    return this.posthorn.dev.publicKey;
  }

  /** Every id that the stranger has, whatever it is of. */
  get strangersIds(): readonly string[] {
    return Object.values(this.ids);
  }

  strangersIdFor(operation: Operation): string {
    return this.ids[nounOf(operation)]!;
  }

  /** A key of ours with every scope but one. */
  async keyWithout(scope: string, scopes: readonly string[]): Promise<string> {
    const known = this.keysWithout.get(scope);
    if (known) return known;
    const key = await this.keyOf('--scopes', scopes.filter((each) => each !== scope).join(','));
    this.keysWithout.set(scope, key);
    return key;
  }

  /** Asks an operation, and says that nothing of the stranger is in the answer. */
  async ask(operation: Operation, path: string, { key = this.key, authorization = `Bearer ${key}`, body }: Asked = {}): Promise<Answer> {
    const answer = await this.posthorn.request(operation.method, path, body, { authorization });
    for (const id of this.strangersIds) if (!path.includes(id)) expect(answer.text).not.toContain(id);
    this.checks += 1;
    this.walked.add(operation.operationId);
    return answer;
  }

  /** A path of ours that exists. */
  async pathOf(operation: Operation): Promise<string> {
    return operation.path.includes('{') ? withId(operation, await make(this.posthorn, nounOf(operation), this.key)) : operation.path;
  }

  /** What the document shows as a request, with an address that nobody has. */
  bodyOf({ requestBody }: Operation): Record<string, unknown> | undefined {
    const example = requestBody?.content['application/json'].example;
    return example && 'email' in example ? { ...example, email: uniqueAddress() } : example;
  }

  async expectStrangerUntouched(): Promise<void> {
    expect(await this.strangersRows()).toEqual(this.untouched);
    this.checks += 1;
  }

  /** Everything that the stranger can read, as it stands. */
  private async strangersRows(): Promise<Record<string, string>> {
    const v1 = Object.keys(this.document.paths).filter((path) => path.startsWith('/api/v1/') && 'get' in this.document.paths[path]!);
    const paths = v1.map((path) => path.replace(/\{\w+\}/g, this.ids[path.split('/')[3]!] ?? ''));
    const texts = paths.map(async (path): Promise<[string, string]> => {
      const { status, text } = await this.strangersOwn(path.endsWith('/timeseries') ? `${path}?from=${this.today}&to=${this.today}` : path);
      expect(status).toBe(200);
      return [path, text];
    });
    return Object.fromEntries(await Promise.all(texts));
  }

  /** The stranger's message makes a contact and is counted some time after it was accepted; so is written down what the stranger did. */
  private async factsArrived(): Promise<void> {
    await eventually(async () => {
      const contacts = await this.strangersOwn('/api/v1/contacts');
      const days = await this.strangersOwn(`/api/v1/analytics/timeseries?from=${this.today}&to=${this.today}`);
      const done = await this.strangersOwn('/api/v1/audit-log?limit=100');
      const written = deeds.every((deed) => done.body.data.some(({ action }: { action: string }) => action === deed));
      return written && contacts.body.data.length === 2 && days.body.data[0].emails === 1;
    }, 'what the message of the stranger brings about');
  }

  private strangersOwn(path: string): Promise<Answer> {
    return this.posthorn.get(path, { authorization: `Bearer ${this.stranger}` });
  }

  private async keyOf(...words: string[]): Promise<string> {
    return (await this.operator('keys', 'create', '--name', 'walk', ...words))['token']!;
  }
}
