import { Injectable } from '@nestjs/common';
import { outcomeUnknown } from '@posthorn/contracts';
import { Database, DatabaseClock, mayHaveCommitted } from '@posthorn/database';

/** What a call changes is one commit, which its deadline still allows. */
@Injectable()
export class Commits {
  constructor(
    private readonly database: Database,
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
      // "Unavailable" promises that nothing was done (docs/guarantees.md G2); here it is not known.
      throw committing && mayHaveCommitted(error) ? outcomeUnknown() : error;
    }
  }
}
