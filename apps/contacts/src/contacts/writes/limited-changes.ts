import { Injectable } from '@nestjs/common';
import { Database, DatabaseClock, newId } from '@posthorn/database';
import { Commits, LimitedRuns } from '@posthorn/platform';
import { ContactsConfig } from '../../config.js';

/** Longer than the call to sending that the holder of a lock may wait for (opt-outs.ts), and within the deadline of the call. */
const lockTimeout = '1500ms';

export interface LimitedChange {
  projectId: string;
  deadline: Date | null;
  /** Changes of a project with equal keys that have not begun share one run. */
  key?: string;
}

/**
 * Changes that keep a connection while they wait for the row of one contact, which anybody with a link or a form can request in any
 * number: few at once hold one, the others wait outside of the pool (docs/decisions/0020-opt-outs-inside-the-transaction.md).
 */
@Injectable()
export class LimitedChanges {
  private readonly runs: LimitedRuns;

  constructor(
    { databasePool }: ContactsConfig,
    private readonly database: Database,
    private readonly clock: DatabaseClock,
    private readonly commits: Commits,
  ) {
    this.runs = new LimitedRuns({
      what: 'changes of contacts',
      running: Math.max(1, Math.floor(databasePool / 2)),
      perProject: 2,
      waitingPerProject: 250,
      waiting: 2_000,
      joinsRunning: false,
    });
  }

  async run<T>({ projectId, deadline, key = newId() }: LimitedChange, work: () => Promise<T>): Promise<T> {
    const remainingMs = deadline && deadline.getTime() - (await this.clock.now()).getTime();
    return this.runs.run(projectId, key, remainingMs, () =>
      this.commits.before(deadline, async () => {
        await this.database.query(`SELECT set_config('lock_timeout', $1, true)`, [lockTimeout]);
        return work();
      }),
    );
  }
}
