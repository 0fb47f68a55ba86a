import { Injectable } from '@nestjs/common';
import {
  DomainError,
  keyInFlight,
  keyReused,
  unavailable,
  emails,
  type AcceptBatch,
  type AcceptedBatch,
  type AcceptMessage,
  type Caller,
  type RefusedMessage,
} from '@posthorn/contracts';
import { mayHaveCommitted } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Metrics } from '@posthorn/telemetry';
import { DeliveryWakeUp } from '../delivery/delivery-wake-up.js';
import { emailsAccepted } from './accepting.metrics.js';
import { acceptedEmailsOf, type AcceptRow } from './accept-row.js';
import { AcceptingRepository } from './accepting.repository.js';
import type { AllowedRecipients } from './confined-sends.js';
import { PrepareSend } from './prepare-send.js';
import { SettleSendService } from './settle-send.js';

interface Prepared {
  rows: Map<number, AcceptRow>;
  refused: RefusedMessage[];
}

/** One commit with one receipt under the caller's key. A message that breaks a rule is refused alone; a database error refuses the whole batch. */
@Injectable()
export class AcceptBatchService {
  private readonly counted;

  constructor(
    private readonly accepting: AcceptingRepository,
    private readonly preparation: PrepareSend,
    private readonly settling: SettleSendService,
    private readonly wakeUp: DeliveryWakeUp,
    metrics: Metrics,
  ) {
    this.counted = metrics.counter(emailsAccepted);
  }

  @Handles(emails.acceptBatch)
  async accept({ caller, body, deadline }: Incoming<AcceptBatch>): Promise<AcceptedBatch> {
    const replayed = await this.replay(caller.projectId, body.idempotency);
    if (replayed) return replayed;
    const prepared = await this.prepare(caller, body, deadline);
    const batch = await this.commit(caller.projectId, prepared, body.idempotency);
    this.counted.inc(batch.accepted.length);
    this.wakeUp.wake();
    return batch;
  }

  private async replay(
    projectId: string,
    idempotency: AcceptBatch['idempotency'],
  ): Promise<AcceptedBatch | null> {
    if (!idempotency) return null;
    const known = (await this.accepting.knownKeys([{ projectId, idempotency }])).get(0);
    if (known && known.bodyHash !== idempotency.bodyHash) throw keyReused();
    return (known?.receipt as AcceptedBatch | undefined) ?? null;
  }

  private async prepare(
    caller: Caller,
    { messages, refused }: AcceptBatch,
    deadline: Date | null,
  ): Promise<Prepared> {
    const prepared: Prepared = { rows: new Map(), refused: [...refused] };
    const allowed = await this.preparation.allowedRecipients(caller, messages);
    for (const message of messages) {
      const row = await this.prepareOne(caller, message, deadline, allowed);
      if (row instanceof DomainError)
        prepared.refused.push({ index: message.index, code: row.code, message: textOf(row) });
      else prepared.rows.set(message.index, row);
    }
    return prepared;
  }

  private async prepareOne(
    caller: Caller,
    message: AcceptMessage,
    deadline: Date | null,
    allowed: AllowedRecipients,
  ): Promise<AcceptRow | DomainError> {
    try {
      return await this.preparation.prepare(caller, message, deadline, allowed);
    } catch (error) {
      if (error instanceof DomainError && !transient.has(error.kind)) return error;
      throw error;
    }
  }

  private async commit(
    projectId: string,
    { rows, refused }: Prepared,
    idempotency: AcceptBatch['idempotency'],
  ): Promise<AcceptedBatch> {
    const batch: AcceptedBatch = {
      accepted: [...rows].map(([index, row]) => ({ index, email: acceptedEmailsOf(row).emails[0]! })),
      refused: refused.toSorted((a, b) => a.index - b.index),
    };
    try {
      return await this.accepting.transaction(() =>
        this.store(projectId, [...rows.values()], batch, idempotency),
      );
    } catch (error) {
      if (!mayHaveCommitted(error) || rows.size === 0) throw error;
      const ids = batch.accepted.map(({ email }) => email.id);
      const settled = await this.settling.afterUnknownOutcome(projectId, ids);
      if (settled instanceof Error) throw settled;
      return batch;
    }
  }

  private async store(
    projectId: string,
    rows: AcceptRow[],
    batch: AcceptedBatch,
    idempotency: AcceptBatch['idempotency'],
  ): Promise<AcceptedBatch> {
    if (idempotency) {
      const locked = await this.accepting.lockKeys([{ projectId, idempotency }]);
      if (!locked.has(0)) throw keyInFlight();
      // Another request with the key may have finished between the first look and the lock.
      const finished = await this.replay(projectId, idempotency);
      if (finished) return finished;
    }
    const acceptedAt = rows.length > 0 ? await this.accepting.insert(rows) : new Map<string, Date>();
    if (acceptedAt.size < rows.length) throw unavailable('The deadline of the request has passed');
    if (idempotency) await this.accepting.rememberKey(projectId, idempotency, batch);
    return batch;
  }
}

/** A retry may succeed after one of these, so it fails the whole call instead of refusing one message. */
const transient = new Set<DomainError['kind']>(['unavailable', 'timeout', 'internal', 'rate_limited']);

/** An entry of the answer has no list of fields, so the path is part of the text. */
function textOf({ message, details: { errors } }: DomainError): string {
  return errors
    ? errors.map(({ path, message: reason }) => `${path.join('.')}: ${reason}`).join('; ')
    : message;
}
