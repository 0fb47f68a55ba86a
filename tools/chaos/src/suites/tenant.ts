import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@posthorn/contracts';
import { GatewayCalls, type Received } from '../gateway-calls.js';
import type { Records } from '../judging/records.js';
import { chaosProject } from '../product.js';
import type { Stage } from './suite.js';

/** An e-mail that was accepted. */
interface Accepted {
  id: string;
  to: string;
  /** Monotonic milliseconds of the run. */
  at: number;
}

const readersAtOnce = 500;
const triesOfAKey = 400;
const pauseMs = 250;
const isNoAnswer = new Set([null, 429, 500, 503, 504]);
/** 409 while the first call of a key is still at work. */
const isNotYet = new Set([...isNoAnswer, 409]);

/** One project with its key: what it asked for, and what it was told. */
export class Tenant {
  readonly accepted: Accepted[] = [];
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
    private readonly calls: GatewayCalls,
  ) {}

  static async create({ fixture, processes }: Stage, name: string): Promise<Tenant> {
    const { projectId, token, records } = await chaosProject(fixture, name);
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

  /** Repeats its Idempotency-Key until it has an answer of its own. */
  async sendSurely(body: { to: string; subject: string; body: string }): Promise<void> {
    const headers = { 'idempotency-key': `${this.name}-${this.keys++}` };
    for (let tries = 0; tries < triesOfAKey; tries += 1) {
      const received = await this.request('POST', '/api/v1/emails', body, headers);
      if (received.status === 202)
        this.accepted.push({
          id: (JSON.parse(received.body!) as { id: string }).id,
          to: body.to,
          at: received.endedAt,
        });
      if (!isNotYet.has(received.status)) return;
      await delay(pauseMs);
    }
    this.unanswered.push(body.to);
  }

  /** The same project over connections of its own: a gateway that stands still keeps those of others busy. */
  sibling(): Tenant {
    const calls = new GatewayCalls(this.calls.gateways, this.token);
    return new Tenant(this.name, this.projectId, this.records, this.token, calls);
  }

  /** What a service has of it: the project is the first parameter. */
  rows<Row extends object>(service: ServiceName, sql: string, ...more: unknown[]): Promise<Row[]> {
    return this.records.query<Row>(service, sql, [this.projectId, ...more]);
  }

  /** By the id of the contact. */
  async addresses(): Promise<ReadonlyMap<string, string>> {
    const sql = `SELECT id, email FROM contacts WHERE project_id = $1`;
    const rows = await this.rows<{ id: string; email: string }>('contacts', sql);
    return new Map(rows.map(({ id, email }) => [id, email]));
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
