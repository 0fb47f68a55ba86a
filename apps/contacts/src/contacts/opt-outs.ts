import { Injectable } from '@nestjs/common';
import { optOuts, serviceCaller, type OptOut } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { OptOutsRepository } from './opt-outs.repository.js';

/** Shorter than whoever asked waits, so that the answer "nothing changed" still reaches them. */
const putMs = 1_000;
const maxPut = 500;

/**
 * Tells sending who wants no marketing mail, before anything here says so: no answer, no change (docs/guarantees.md §3). A link that was handed out before
 * confirms its list afterwards, and no more: who asked for no mail since then is not subscribed by it.
 */
@Injectable()
export class OptOuts {
  constructor(
    private readonly bus: Bus,
    private readonly rows: OptOutsRepository,
  ) {}

  /** In the transaction of the change. */
  async put(projectId: string, ...published: OptOut[]): Promise<void> {
    const contactIds = published.flatMap(({ contactId }) => (contactId ? [contactId] : []));
    if (contactIds.length > 0) await this.rows.keepUnsubscribed(projectId, contactIds);
    const caller = serviceCaller('contacts', projectId);
    for (let first = 0; first < published.length; first += maxPut) {
      await this.bus.call(
        optOuts.put,
        caller,
        { optOuts: published.slice(first, first + maxPut) },
        { timeoutMs: putMs },
      );
    }
  }
}
