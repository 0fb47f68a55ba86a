import { Injectable } from '@nestjs/common';
import { Database, DatabaseClock } from '@posthorn/database';
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
    const result = await this.database.transaction(async () => {
      const done = await work();
      await this.clock.refuseLate(deadline);
      return done;
    });
    this.outbox.ring();
    return result;
  }
}
