import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  emails,
  outcomeUnknown,
  unavailable,
  type AcceptedEmails,
  type DomainError,
  type SettledSend,
  type SettleSend,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { AcceptingRepository } from './accepting.repository.js';

const settleAttempts = 3;
const settlePauseMs = 100;

/** A send whose answer was lost is found, or tombstones keep it from being stored later (docs/guarantees.md G2). */
@Injectable()
export class SettleSendService {
  constructor(private readonly accepting: AcceptingRepository) {}

  @Handles(emails.settle)
  settle({ caller, body }: Incoming<SettleSend>): Promise<SettledSend> {
    return this.settleIds(
      caller.projectId,
      body.recipients.map(({ id }) => id),
    );
  }

  private async settleIds(projectId: string, ids: string[]): Promise<SettledSend> {
    // Tombstones and rows are both written in the order of their ids, so what was accepted together is voided as a whole or not at all.
    const voided = await this.accepting.voidIds(projectId, ids);
    const found = voided === ids.length ? [] : await this.accepting.accepted(projectId, ids);
    if (found.length === 0) return { outcome: 'VOIDED', accepted: null };
    const byId = new Map(found.map((row) => [row.id, row]));
    const emails = ids
      .flatMap((id) => byId.get(id) ?? [])
      .map(({ id, to, from, contactId }) => ({ id, to, from, contactId }));
    return { outcome: 'ACCEPTED', accepted: { emails, acceptedAt: found[0]!.acceptedAt } };
  }

  /** "Unavailable" promises the client that nothing happened, so a commit without an answer is either confirmed or voided. */
  async afterUnknownOutcome(projectId: string, ids: string[]): Promise<AcceptedEmails | DomainError> {
    for (let attempt = 1; attempt <= settleAttempts; attempt += 1) {
      try {
        const { accepted } = await this.settleIds(projectId, ids);
        return accepted ?? unavailable();
      } catch {
        await delay(settlePauseMs);
      }
    }
    return outcomeUnknown();
  }
}
