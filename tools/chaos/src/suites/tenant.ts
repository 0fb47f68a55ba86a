import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { makeSendingProject } from '@posthorn/testing';
import type { Fixture } from '../fixture.js';
import { GatewayCalls, type Received } from '../gateway-calls.js';
import { Records } from '../judging/records.js';
import type { ProcessGroup } from '../process-group.js';

export interface Mail {
  to: string;
  [member: string]: unknown;
}

/** An e-mail that was accepted. */
export interface Accepted {
  id: string;
  to: string;
  /** Milliseconds of 1970 at which the request began. */
  askedAt: number;
}

const batchSize = 100;
const readersAtOnce = 500;
const triesOfAKey = 400;
const pauseMs = 250;
const isNoAnswer = new Set([null, 429, 500, 503, 504]);
/** 409 while the first call of a key is still at work. */
const isNotYet = new Set([...isNoAnswer, 409]);

/** One project with its key: what it asked for, and what it was told. */
export class Tenant {
  readonly accepted: Accepted[] = [];
  /** How often each status was answered to a send; `none` where nothing came. */
  readonly answers = new Map<string, number>();
  /** Sends that were never answered otherwise than with an error of the server. */
  readonly unanswered: string[] = [];
  /** Its readers were contacts before they got mail: what arrives before its contact does is in no summary. */
  knowsReaders = false;
  private keys = 0;

  private constructor(
    readonly name: string,
    readonly projectId: string,
    readonly records: Records,
    private readonly token: string,
    private calls: GatewayCalls,
  ) {}

  static async create(fixture: Fixture, processes: ProcessGroup, name: string): Promise<Tenant> {
    const { projectId, token } = await makeSendingProject(fixture.natsUrl, name);
    const records = new Records(
      () => fixture.databaseUrl,
      () => projectId,
    );
    return new Tenant(name, projectId, records, token, new GatewayCalls(processes.gateways, token));
  }

  /** One request, answered or not. */
  request(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const gateway = this.keys++ % this.calls.gateways.length;
    return this.calls.request(gateway, method, path, body ? JSON.stringify(body) : '', headers);
  }

  /** Asked until it is answered with success. */
  async surely(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Record<string, unknown>> {
    const { status, body: text } = await this.untilOther(isNotYet, method, path, body, headers);
    if (status! < 300) return JSON.parse(text!) as Record<string, unknown>;
    throw new Error(`${method} ${path} was answered ${status}: ${text}`);
  }

  /** Asked until it is answered, be it with a conflict. */
  answered(method: string, path: string, body?: object): Promise<Received> {
    return this.untilOther(isNoAnswer, method, path, body);
  }

  /** Contacts of all these addresses, which nothing was sent to yet. */
  makeReaders(addresses: readonly string[]): Promise<void> {
    return this.makeContacts(addresses.map((email) => ({ email })));
  }

  /** The same with more than their addresses. */
  async makeContacts(contacts: readonly { email: string }[]): Promise<void> {
    for (let first = 0; first < contacts.length; first += readersAtOnce)
      await this.surely('POST', '/api/v1/contacts/bulk', {
        contacts: contacts.slice(first, first + readersAtOnce),
      });
    this.knowsReaders = true;
  }

  /** One try. */
  async send(body: Mail): Promise<Received> {
    const received = await this.request('POST', '/api/v1/emails', body);
    this.note(body.to, received);
    return received;
  }

  /** Repeats its Idempotency-Key until it has an answer of its own. */
  async sendSurely(body: Mail, mostTries = triesOfAKey): Promise<void> {
    const headers = { 'idempotency-key': `${this.name}-${this.keys++}` };
    for (let tries = 0; tries < mostTries; tries += 1) {
      const received = await this.request('POST', '/api/v1/emails', body, headers);
      if (this.note(body.to, received)) return;
      await delay(pauseMs);
    }
    this.unanswered.push(body.to);
  }

  /** All of them, at most so many at once. */
  async sendAll(bodies: Mail[], atOnce = 12): Promise<void> {
    await inTurns(bodies, atOnce, (body) => this.sendSurely(body));
  }

  /** By hundreds. */
  async sendBatches(bodies: Mail[]): Promise<void> {
    for (let first = 0; first < bodies.length; first += batchSize) {
      const askedAt = performance.timeOrigin + performance.now();
      const emails = bodies.slice(first, first + batchSize);
      const answer = await this.surely('POST', '/api/v1/emails/batch', { emails });
      for (const { data } of answer['data'] as { data?: { id: string; to: string } }[])
        if (data) this.accepted.push({ ...data, askedAt });
    }
  }

  /** The same project over connections of its own: a gateway that stands still keeps those of others busy. */
  sibling(): Tenant {
    const calls = new GatewayCalls(this.calls.gateways, this.token);
    return new Tenant(this.name, this.projectId, this.records, this.token, calls);
  }

  /** To the gateways of another group of processes. */
  moveTo({ gateways }: ProcessGroup): void {
    this.calls.close();
    this.calls = new GatewayCalls(gateways, this.token);
  }

  close(): void {
    this.calls.close();
  }

  private async untilOther(
    than: ReadonlySet<number | null>,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Received> {
    for (let tries = 0; tries < triesOfAKey; tries += 1) {
      const received = await this.request(method, path, body, headers);
      if (!than.has(received.status)) return received;
      await delay(pauseMs);
    }
    throw new Error(`${method} ${path} was not answered in ${triesOfAKey} tries`);
  }

  private note(to: string, { status, body, beganAt }: Received): boolean {
    const answer = String(status ?? 'none');
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
    if (status === 202)
      this.accepted.push({
        id: (JSON.parse(body!) as { id: string }).id,
        to,
        askedAt: performance.timeOrigin + beganAt,
      });
    return !isNotYet.has(status);
  }
}

export async function inTurns<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const rest = [...items];
  const worker = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
