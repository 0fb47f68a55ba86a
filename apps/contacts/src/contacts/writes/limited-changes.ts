import { Injectable } from '@nestjs/common';
import { Database, DatabaseClock, newId } from '@posthorn/database';
import { Commits, LimitedRuns } from '@posthorn/platform';
import { ContactsConfig } from '../../config.js';
import { connectionsOf } from '../../connection-shares.js';

export interface LimitedChange {
  projectId: string;
  deadline: Date | null;
  /** What an unsubscribe link stands for: such changes have places of their own, and those of a project with equal targets that have not begun share one run. */
  linkTarget?: string;
}

// These changes keep a connection while they wait for the row of a contact, and anybody with a link or a form
// can request any number: few at once hold one, the others wait outside of the pool. Mail clients take a
// refused unsubscribe for a failure, so nothing else fills the places of those by link
// (docs/decisions/0020-opt-outs-inside-the-transaction.md).
@Injectable()
export class LimitedChanges {
  private readonly requested: LimitedRuns;
  private readonly byLink: LimitedRuns;

  constructor(
    private readonly config: ContactsConfig,
    private readonly database: Database,
    private readonly clock: DatabaseClock,
    private readonly commits: Commits,
  ) {
    const { databasePool } = config;
    const limits = { perProject: 2, waitingPerProject: 250, waiting: 2_000, joinsRunning: false };
    this.requested = new LimitedRuns({
      ...limits,
      what: 'changes of contacts',
      running: connectionsOf(databasePool, 'contactChanges'),
    });
    this.byLink = new LimitedRuns({
      ...limits,
      what: 'unsubscribes',
      running: connectionsOf(databasePool, 'unsubscribes'),
    });
  }

  async run<T>({ projectId, deadline, linkTarget }: LimitedChange, work: () => Promise<T>): Promise<T> {
    const remainingMs = await this.clock.msUntil(deadline);
    const runs = linkTarget === undefined ? this.requested : this.byLink;
    return runs.run(projectId, linkTarget ?? newId(), remainingMs, () =>
      this.commits.before(deadline, async () => {
        // Longer than the call to sending that the holder of a lock may wait for (opt-outs.ts), and within the deadline of the call.
        await this.database.query(`SELECT set_config('lock_timeout', $1, true)`, [
          `${this.config.databaseWaitMs}ms`,
        ]);
        return work();
      }),
    );
  }
}
