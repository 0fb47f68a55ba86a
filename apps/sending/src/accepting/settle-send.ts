import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  outcomeUnknown,
  unavailable,
  type AcceptedEmails,
  type DomainError,
  type SettledSend,
} from '@posthorn/contracts';
import { AcceptingRepository } from './accepting.repository.js';

const settleAttempts = 3;
const settlePauseMs = 100;

/** Tells what became of a send whose answer never came; what did not arrive by then never will (docs/guarantees.md G2). */
@Injectable()
export class SettleSendService {
  constructor(private readonly accepting: AcceptingRepository) {}

  async settle(projectId: string, ids: string[]): Promise<SettledSend> {
    // The tombstones of one call stand or fall together, as its rows do: both are written in the order of their ids.
    const voided = await this.accepting.void(projectId, ids);
    const found = voided === ids.length ? [] : await this.accepting.accepted(projectId, ids);
    if (found.length === 0) return { outcome: 'VOIDED', accepted: null };
    const byId = new Map(found.map((row) => [row.id, row]));
    // Of a batch some may never have been meant to be stored.
    const emails = ids
      .flatMap((id) => byId.get(id) ?? [])
      .map(({ id, to, from, contactId }) => ({ id, to, from, contactId }));
    return { outcome: 'ACCEPTED', accepted: { emails, acceptedAt: found[0]!.acceptedAt } };
  }

  /** "Unavailable" promises that nothing happened: a commit whose answer was lost is asked for, or voided. */
  async afterUnknownOutcome(projectId: string, ids: string[]): Promise<AcceptedEmails | DomainError> {
    for (let attempt = 1; attempt <= settleAttempts; attempt += 1) {
      try {
        const { accepted } = await this.settle(projectId, ids);
        return accepted ?? unavailable();
      } catch {
        // Connections that broke with the first one fail once each before the pool has fresh ones.
        await delay(settlePauseMs);
      }
    }
    return outcomeUnknown();
  }
}
