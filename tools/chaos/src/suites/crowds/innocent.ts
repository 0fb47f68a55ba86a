import { setTimeout as delay } from 'node:timers/promises';
import { emailIdOf, type SinkLine } from '../../judging/sink-ledger.js';
import type { Stage } from '../suite.js';
import { Tenant } from '../tenant.js';
import { BouncePort } from './bounce-port.js';
import { enabledWorkflow } from './crowded-workflows.js';
import type { Measured } from './judge-crowds.js';

const everyMs = 250;
const settleMs = 30_000;
const event = 'ordered';
const people = 2_000;
const ownAddress = '127.1.1.1';

interface Measures {
  apiMs: number[];
  bounceMs: (number | null)[];
  mails: { id: string; askedAt: number }[];
  /** By the address of the mail that it sends. */
  executions: Map<string, number>;
}

/** Sends a mail, reads it, starts a workflow of two steps and visits the port for bounces, again and again. */
export class Innocent {
  private started = 0;

  private constructor(
    private readonly tenant: Tenant,
    private readonly bounces: BouncePort,
  ) {}

  static async create({ fixture, processes }: Stage, port: number): Promise<Innocent> {
    const tenant = await Tenant.create(fixture, processes, 'innocent');
    await tenant.makeReaders(Array.from({ length: people }, (_, index) => addressOf(index)));
    await enabledWorkflow(tenant, event, [
      { type: 'UPDATE_CONTACT', config: { updates: { ordered: true } } },
      { type: 'SEND_EMAIL', config: { subject: 'Your order', body: '<p>Hello {{ contact.email }}</p>' } },
    ]);
    return new Innocent(tenant, new BouncePort(port));
  }

  async measure(forMs: number): Promise<Measures> {
    const measures: Measures = { apiMs: [], bounceMs: [], mails: [], executions: new Map() };
    const until = performance.now() + forMs;
    const rounds: Promise<void>[] = [];
    while (performance.now() < until) {
      rounds.push(this.round(measures));
      await delay(everyMs);
    }
    await Promise.all(rounds);
    return measures;
  }

  /** Once everything has arrived, or half a minute later: what is missing then counts as late as that. */
  async settled(measures: Measures, read: () => SinkLine[]): Promise<Measured> {
    const until = performance.now() + settleMs;
    for (;;) {
      const arrived = new Map(read().map((line) => [emailIdOf(line), line.receivedAt]));
      const reached = new Map(read().map((line) => [line.to, line.receivedAt]));
      const isOver = performance.now() >= until;
      const now = performance.timeOrigin + performance.now();
      const mails = measures.mails.map(({ id, askedAt }) => ({ at: arrived.get(id), askedAt }));
      const executions = [...measures.executions].map(([to, askedAt]) => ({ at: reached.get(to), askedAt }));
      if (isOver || [...mails, ...executions].every(({ at }) => at !== undefined))
        return {
          api: measures.apiMs,
          mail: mails.map(({ at = now, askedAt }) => at - askedAt),
          workflow: executions.map(({ at = now, askedAt }) => at - askedAt),
          bounces: measures.bounceMs.map((ms) => ms ?? settleMs),
        };
      await delay(200);
    }
  }

  close(): void {
    this.tenant.close();
  }

  private async round({ apiMs, bounceMs, mails, executions }: Measures): Promise<void> {
    const timed = async (method: string, path: string, body?: object) => {
      const answer = await this.tenant.request(method, path, body);
      apiMs.push(answer.endedAt - answer.beganAt);
      return answer;
    };
    const index = this.started++;
    const to = addressOf(index);
    executions.set(to, performance.timeOrigin + performance.now());
    await timed('POST', '/api/v1/events', { name: event, email: to });
    const sent = await timed('POST', '/api/v1/emails', {
      ...{ to: `mail-${index}@sink.test`, subject: 'Hello', body: '<p>Hello</p>' },
    });
    if (sent.status === 202) {
      const { id } = JSON.parse(sent.body!) as { id: string };
      mails.push({ id, askedAt: performance.timeOrigin + sent.beganAt });
      await timed('GET', `/api/v1/emails/${id}`);
    }
    bounceMs.push(await this.bounces.visit(ownAddress));
  }
}

const addressOf = (index: number): string => `order-${index}@sink.test`;
