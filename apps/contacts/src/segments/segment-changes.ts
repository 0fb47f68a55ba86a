import { Injectable } from '@nestjs/common';
import { DatabaseClock, newId } from '@posthorn/database';
import { Commits, LimitedRuns } from '@posthorn/platform';
import { ContactsConfig } from '../config.js';
import { connectionsOf } from '../connection-shares.js';
import { SegmentsRepository } from './segments.repository.js';

/** A condition may take seconds on a connection, and so may waiting for the lock of its project: changes wait in turns without one. */
@Injectable()
export class SegmentChanges {
  private readonly runs: LimitedRuns;

  constructor(
    { databasePool }: ContactsConfig,
    private readonly segments: SegmentsRepository,
    private readonly commits: Commits,
    private readonly clock: DatabaseClock,
  ) {
    this.runs = new LimitedRuns({
      ...{ what: 'changes of segments', perProject: 1, waitingPerProject: 50, waiting: 200 },
      running: connectionsOf(databasePool, 'segmentChanges'),
    });
  }

  async commit<T>(projectId: string, deadline: Date | null, work: () => Promise<T>): Promise<T> {
    return this.runs.run(projectId, newId(), await this.clock.msUntil(deadline), () =>
      this.commits.before(deadline, async () => {
        await this.segments.limitStatements(await this.clock.msUntil(deadline));
        await this.segments.lockProject(projectId);
        return work();
      }),
    );
  }
}
