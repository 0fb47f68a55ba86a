import { Injectable } from '@nestjs/common';
import type { PutOptOuts, PutOptOutsReceipt } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Gatherer, type Incoming } from '@posthorn/messaging';
import { OptOutsRepository, noContact, type OptOutPut } from './opt-outs.repository.js';

const maxGathered = 64;

/** Once an opt-out is acknowledged, no hand-off of marketing mail to the address begins (docs/guarantees.md G8). */
@Injectable()
export class OptOutsService {
  private readonly gatherer = new Gatherer<OptOutPut[], void>({
    flush: (calls) => this.store(calls),
    maxItems: maxGathered,
  });

  constructor(
    private readonly optOuts: OptOutsRepository,
    private readonly clock: DatabaseClock,
  ) {}

  async put({ caller, body, deadline }: Incoming<PutOptOuts>): Promise<PutOptOutsReceipt> {
    await this.clock.refuseLate(deadline);
    await this.gatherer.submit(
      body.optOuts.map(({ email, contactId = noContact, seq = 0 }) => ({
        projectId: caller.projectId,
        email,
        contactId,
        seq,
      })),
    );
    return { put: body.optOuts.length };
  }

  private async store(calls: OptOutPut[][]): Promise<void[]> {
    const puts = calls.flat();
    await this.optOuts.transaction(async () => {
      await this.optOuts.lock(puts);
      await this.optOuts.put(puts);
    });
    return calls.map(() => undefined);
  }
}
