import { setTimeout as delay } from 'node:timers/promises';
import { readSinkLedger } from '../../judging/ledger.js';
import { reportedLater } from '../suite.js';
import type { Tenant } from '../tenant.js';
import { answerEvent, startEvent, type Participant } from './workflow-graph.js';
import type { Built } from './workflows.js';

/** Slow enough that executions start all the time, however quickly strikes follow each other. */
const perSecond = 30;
const tickMs = 100;
const lookMs = 400;
const looksForOverdue = 12;
const atOnce = 40;
const mostTries = 60;
const retryMs = 1_000;
/** By then a first mail has arrived, or is held because nobody knows whether it did. */
const mailSeconds = 20;

const waitingSql = `
  SELECT contact_id AS id FROM executions
  WHERE project_id = $1 AND current_step_id = $2 AND wait = 'EVENT' AND entered_at < now() - interval '${mailSeconds} seconds'`;

/** What contacts do: each does it once under its key, so that nothing of it can happen later. */
class ContactEvents {
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly tenant: Tenant) {}

  /** Once there is a place. */
  async start(work: () => Promise<void>): Promise<void> {
    while (this.running.size >= atOnce) await Promise.race(this.running);
    const running = reportedLater(work().finally(() => this.running.delete(running)));
    this.running.add(running);
  }

  /** Whatever is answered meanwhile: without the event nothing of the run can be judged. */
  async record(name: string, email: string): Promise<void> {
    const headers = { 'idempotency-key': `${name} ${email}` };
    for (let tries = 1; ; tries += 1) {
      try {
        await this.tenant.surely('POST', '/api/v1/events', { name, email }, headers);
        return;
      } catch (error) {
        if (tries === mostTries) throw error;
        if (tries === 1) this.refusals.add(error instanceof Error ? error.message : String(error));
        await delay(retryMs);
      }
    }
  }

  /** What was answered otherwise than with an event. */
  readonly refusals = new Set<string>();

  async drained(): Promise<void> {
    await Promise.all(this.running);
  }
}

/** Starts the executions, as many of them as strikes have come of all strikes. */
export async function startAll(
  tenant: Tenant,
  participants: readonly Participant[],
  progress: () => number,
): Promise<void> {
  const events = new ContactEvents(tenant);
  for (let started = 0; started < participants.length; await delay(tickMs)) {
    const allowed = Math.ceil(Math.min(1, progress()) * participants.length);
    const end = Math.min(allowed, started + (perSecond * tickMs) / 1_000);
    for (; started < end; started += 1) {
      const { kind, email } = participants[started]!;
      await events.start(async () => {
        // An event from before the wait does not end it.
        if (kind === 'hasty') await events.record(answerEvent, email);
        await events.record(startEvent, email);
      });
    }
  }
  await events.drained();
  for (const refusal of events.refusals) console.log(`an event was refused at first: ${refusal}`);
}

/** Those who answer do so when their first mail arrives, and those whose mail never does after a while. */
export class AnswerWatch {
  readonly answered = new Set<string>();
  private readonly events: ContactEvents;
  private readonly waiting: Set<string>;
  private emails: ReadonlyMap<string, string> = new Map();
  private stopped = false;
  private readonly running: Promise<void>;

  constructor(
    private readonly tenant: Tenant,
    private readonly sinkLedger: string,
    private readonly built: Built,
    participants: readonly Participant[],
  ) {
    this.events = new ContactEvents(tenant);
    this.waiting = new Set(participants.flatMap(({ kind, email }) => (kind === 'answering' ? [email] : [])));
    this.running = reportedLater(this.run());
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    await this.events.drained();
  }

  private async run(): Promise<void> {
    let seen = 0;
    for (let look = 1; !this.stopped && this.waiting.size > 0; look += 1) {
      const lines = readSinkLedger(this.sinkLedger);
      for (const { to } of lines.slice(seen)) await this.answer(to);
      seen = lines.length;
      // The database may be away.
      const overdue = look % looksForOverdue === 0 ? await this.overdue().catch(() => []) : [];
      for (const email of overdue) await this.answer(email);
      await delay(lookMs);
    }
  }

  private async answer(email: string): Promise<void> {
    if (!this.waiting.delete(email)) return;
    this.answered.add(email);
    await this.events.start(() => this.events.record(answerEvent, email));
  }

  private async overdue(): Promise<string[]> {
    if (this.emails.size === 0) this.emails = await this.tenant.addresses();
    const step = this.built.stepIds.get('long');
    const rows = await this.tenant.rows<{ id: string }>('workflows', waitingSql, step);
    return rows.flatMap(({ id }) => this.emails.get(id) ?? []);
  }
}
