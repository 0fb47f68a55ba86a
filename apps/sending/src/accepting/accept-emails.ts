import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  keyInFlight,
  keyReused,
  outcomeUnknown,
  unavailable,
  type AcceptEmails,
  type AcceptedEmails,
  type Caller,
  type CheckedSend,
  type CheckSend,
  type DomainError,
} from '@posthorn/contracts';
import { isOutcomeInDoubt, isPoisonedRow } from '@posthorn/database';
import { Gatherer, Outbox, type Incoming } from '@posthorn/messaging';
import { currentTraces, Metrics, Spanned } from '@posthorn/telemetry';
import { DeliveryBell } from '../delivery/delivery-bell.js';
import { refuseOutsideSandbox } from '../domains/sandbox.js';
import { SenderDirectory } from '../domains/sender-directory.js';
import { emailsAccepted } from './accepting.metrics.js';
import { AcceptingRepository, receiptOf, type AcceptRow } from './accepting.repository.js';
import { SettleSendService } from './settle-send.js';

type Outcome = AcceptedEmails | Error;

const maxGathered = 128;
const maxGatheredBytes = 16 * 1024 * 1024;
const settleAttempts = 3;
const settlePauseMs = 100;

/**
 * Accepted means on disk: the claim of the key, the rows, the content and the fact are one statement and one commit, for
 * all that arrived meanwhile. A row that Postgres refuses harms only its own call.
 */
@Injectable()
export class AcceptEmailsService {
  private readonly gatherer = new Gatherer<AcceptRow, AcceptedEmails>({
    flush: (rows) => this.commit(rows),
    // One at a time: twice as many rows in a commit cost less than two commits at once (measured: a fifth more accepts).
    inFlight: 1,
    maxItems: maxGathered,
    maxBytes: maxGatheredBytes,
    sizeOf: ({ html, text }) => html.length + (text?.length ?? 0),
  });

  private readonly accepted;

  constructor(
    private readonly accepting: AcceptingRepository,
    private readonly settling: SettleSendService,
    private readonly senders: SenderDirectory,
    private readonly outbox: Outbox,
    private readonly bell: DeliveryBell,
    metrics: Metrics,
  ) {
    this.accepted = metrics.counter(emailsAccepted);
  }

  async accept(call: Incoming<AcceptEmails>): Promise<AcceptedEmails> {
    const { caller, body, deadline } = call;
    const from = await this.senders.senderFor(caller, body.from);
    refuseOutsideSandbox(
      caller,
      body.recipients.map(({ to }) => to.email),
    );
    return this.gatherer.submit(toRow(caller.projectId, body, from, deadline));
  }

  async check(caller: Caller, { from, to = [], idempotency }: CheckSend): Promise<CheckedSend> {
    await this.senders.senderFor(caller, from);
    refuseOutsideSandbox(caller, to);
    const known = idempotency ? (await this.accepting.knownKeys([{ projectId: caller.projectId, claim: idempotency }])).get(0) : undefined;
    if (known && known.bodyHash !== idempotency!.bodyHash) throw keyReused();
    return { accepted: known?.accepted ?? null };
  }

  @Spanned('commit accepts')
  private async commit(rows: AcceptRow[]): Promise<Outcome[]> {
    const outcomes = await this.bisect(rows);
    this.outbox.ring();
    this.bell.ring();
    return outcomes;
  }

  private async bisect(rows: AcceptRow[]): Promise<Outcome[]> {
    try {
      return await this.store(rows);
    } catch (error) {
      if (isOutcomeInDoubt(error)) return Promise.all(rows.map((row) => this.settle(row)));
      if (rows.length === 1 || !isPoisonedRow(error)) return rows.map(() => error as Error);
      const middle = rows.length >> 1;
      return [...(await this.bisect(rows.slice(0, middle))), ...(await this.bisect(rows.slice(middle)))];
    }
  }

  /** "Unavailable" promises that nothing happened (guarantees.md G2): a commit whose answer was lost is asked for, or voided. */
  private async settle({ projectId, recipients }: AcceptRow): Promise<Outcome> {
    const ids = recipients.map(({ id }) => id);
    for (let attempt = 1; attempt <= settleAttempts; attempt += 1) {
      try {
        const { accepted } = await this.settling.settle(projectId, ids);
        return accepted ?? unavailable();
      } catch {
        // Connections that broke with the first one fail once each before the pool has fresh ones.
        await delay(settlePauseMs);
      }
    }
    return outcomeUnknown();
  }

  private store(rows: AcceptRow[]): Promise<Outcome[]> {
    const keyed = rows.some(({ claim }) => claim !== null);
    return keyed ? this.storeKeyed(rows) : this.insert(rows, new Map());
  }

  /** A finished key is read before its lock is tried, or two replays of it would make a false conflict (guarantees.md §1.3). */
  private async storeKeyed(rows: AcceptRow[]): Promise<Outcome[]> {
    const finished = await this.replays(rows);
    return this.accepting.transaction(async () => {
      const settled = new Map<number, Outcome>([...this.repeatsWithin(rows, finished), ...finished]);
      const open = rows.map((row, place) => (settled.has(place) || !row.claim ? { ...row, claim: null } : row));
      const locked = await this.accepting.lockKeys(open);
      open.forEach(({ claim }, place) => claim && !locked.has(place) && settled.set(place, keyInFlight()));
      // Between the first look and the lock another request may have finished.
      const finishedMeanwhile = await this.replays(open);
      for (const [place, outcome] of finishedMeanwhile) if (locked.has(place)) settled.set(place, outcome);
      return this.insert(rows, settled);
    });
  }

  /** One key twice in a batch: the first wins. */
  private repeatsWithin(rows: AcceptRow[], finished: Map<number, Outcome>): [number, DomainError][] {
    const seen = new Set<string>();
    return rows.flatMap(({ projectId, claim }, place): [number, DomainError][] => {
      if (!claim || finished.has(place)) return [];
      const name = JSON.stringify([projectId, claim.operation, claim.key]);
      if (seen.has(name)) return [[place, keyInFlight()]];
      seen.add(name);
      return [];
    });
  }

  private async replays(rows: AcceptRow[]): Promise<Map<number, Outcome>> {
    const known = await this.accepting.knownKeys(rows);
    return new Map(
      [...known].map(([place, { bodyHash, accepted }]) => [place, bodyHash === rows[place]!.claim!.bodyHash ? accepted : keyReused()]),
    );
  }

  private async insert(rows: AcceptRow[], settled: Map<number, Outcome>): Promise<Outcome[]> {
    const fresh = rows.filter((_, place) => !settled.has(place));
    const instants = fresh.length > 0 ? await this.accepting.insert(fresh) : new Map<string, Date>();
    this.accepted.inc(fresh.reduce((sum, { contentId, recipients }) => sum + (instants.has(contentId) ? recipients.length : 0), 0));
    return rows.map((row, place) => {
      const acceptedAt = instants.get(row.contentId);
      return settled.get(place) ?? (acceptedAt ? { ...receiptOf(row), acceptedAt } : unavailable('The deadline of the request has passed'));
    });
  }
}

function toRow(projectId: string, body: AcceptEmails, from: { email: string; name?: string }, deadline: Date | null): AcceptRow {
  return {
    projectId,
    contentId: body.recipients[0]!.id,
    from: { email: from.email, name: from.name ?? null },
    subject: body.subject,
    html: body.body,
    text: body.text ?? null,
    replyTo: body.replyTo ?? null,
    headers: body.headers ?? null,
    tags: body.tags ?? [],
    metadata: body.metadata ?? {},
    deadline,
    recipients: body.recipients.map(({ id, contactId, to }) => ({
      id,
      contactId: contactId ?? null,
      email: to.email,
      name: to.name ?? null,
    })),
    claim: body.idempotency ?? null,
    trace: currentTraces(),
  };
}
