import { Injectable } from '@nestjs/common';
import {
  contactEvents,
  optOuts,
  type ContactEvent,
  type PutOptOuts,
  type PutOptOutsReceipt,
} from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import {
  Gatherer,
  Handles,
  OnEachEvent,
  answerEach,
  type DomainEvent,
  type Incoming,
} from '@posthorn/messaging';
import { SuppressionsService } from '../suppressions/suppressions.service.js';
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
    private readonly suppressions: SuppressionsService,
    private readonly clock: DatabaseClock,
  ) {}

  @Handles(optOuts.put)
  put(calls: Incoming<PutOptOuts>[]): Promise<(PutOptOutsReceipt | Error)[]> {
    return answerEach(calls, (call) => this.putOne(call));
  }

  /** Opt-outs were stored before the contact changed, so their events only repair; subscriptions arrive by event alone. */
  @OnEachEvent([contactEvents.subscribed, contactEvents.unsubscribed], 'opt-outs')
  onSubscription({ projectId, items }: DomainEvent<ContactEvent>): Promise<void> {
    return this.optOuts.follow(projectId, items);
  }

  private async putOne({ caller, body, deadline }: Incoming<PutOptOuts>): Promise<PutOptOutsReceipt> {
    await this.clock.refuseLate(deadline);
    await this.gatherer.submit(
      body.optOuts.map(({ email, contactId = noContact, seq = 0, suppress }) => ({
        projectId: caller.projectId,
        email,
        contactId,
        seq,
        suppress,
      })),
    );
    return { put: body.optOuts.length };
  }

  private async store(calls: OptOutPut[][]): Promise<void[]> {
    const puts = calls.flat();
    await this.optOuts.transaction(async () => {
      await this.optOuts.lock(puts);
      await this.optOuts.put(puts);
      await this.suppress(puts);
    });
    return calls.map(() => undefined);
  }

  /** Under the same locks. What an import knows of an address stands beside what we learnt ourselves. */
  private async suppress(puts: OptOutPut[]): Promise<void> {
    const wanted = puts.flatMap(({ projectId, email, suppress }) =>
      suppress ? [{ projectId, email, reason: suppress }] : [],
    );
    for (const [projectId, rows] of Map.groupBy(wanted, (row) => row.projectId))
      await this.suppressions.add(projectId, rows, { source: 'API', createdAt: await this.clock.now() });
  }
}
