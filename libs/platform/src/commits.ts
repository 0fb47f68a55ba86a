import { Injectable } from '@nestjs/common';
import { outcomeUnknown } from '@posthorn/contracts';
import { Database, DatabaseClock, isOutcomeUnknown } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';

/** What a call changes is one commit, which its deadline still allows; then the relay hears of its facts. */
@Injectable()
export class Commits {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly clock: DatabaseClock,
  ) {}

  async before<T>(deadline: Date | null, work: () => Promise<T>): Promise<T> {
    let committing = false;
    try {
      return await this.database.transaction(async () => {
        committing = false;
        const done = await work();
        await this.clock.refuseLate(deadline);
        committing = true;
        return done;
      });
    } catch (error) {
      // "Unavailable" promises that nothing happened (docs/guarantees.md G2): of a commit whose answer was lost nobody can say so.
      throw committing && isOutcomeUnknown(error) ? outcomeUnknown() : error;
    } finally {
      this.outbox.wakeUp();
    }
  }
}
