import { Injectable } from '@nestjs/common';
import type { SettledSend } from '@posthorn/contracts';
import { AcceptingRepository } from './accepting.repository.js';

/** Tells what became of a send whose answer never came; what did not arrive by then never will (guarantees.md G2). */
@Injectable()
export class SettleSendService {
  constructor(private readonly accepting: AcceptingRepository) {}

  async settle(projectId: string, ids: string[]): Promise<SettledSend> {
    // The tombstones of one call stand or fall together, as its rows do: both are written in the order of their ids.
    const voided = await this.accepting.void(projectId, ids);
    const found = voided === ids.length ? [] : await this.accepting.accepted(projectId, ids);
    if (found.length === 0) return { outcome: 'VOIDED', accepted: null };
    const byId = new Map(found.map((row) => [row.id, row]));
    const emails = ids.map((id) => byId.get(id)!).map(({ id, to, from, contactId }) => ({ id, to, from, contactId }));
    return { outcome: 'ACCEPTED', accepted: { emails, acceptedAt: found[0]!.acceptedAt } };
  }
}
