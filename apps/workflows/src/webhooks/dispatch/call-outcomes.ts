import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Database, isDatabaseAway } from '@posthorn/database';
import { LeaseLost, WorkQueue, type WorkBatch, type WorkItem } from '@posthorn/work';
import { callWork, type EndpointOf } from '../../work-kinds.js';
import { CallsRepository } from '../calls/calls.repository.js';
import { ExecutionCalls, SubscriptionCalls, type Round } from './call-owners.js';
import { EndpointsRepository } from './endpoints.repository.js';

/** When the next turn of an endpoint is; null where no call waits. */
export interface Turn {
  item: WorkItem<EndpointOf>;
  batch: WorkBatch<EndpointOf> | null;
  nextMs: number | null;
}

/** Outcomes are kept for so long while the database is away: what is lost is sent again. */
const keptMs = 60_000;
const againMs = 250;
const afterErrorMs = 1_000;

/** Records what became of calls, those of several endpoints with one commit. */
@Injectable()
export class CallOutcomes {
  private readonly log = new Logger('Webhooks');

  constructor(
    private readonly database: Database,
    private readonly calls: CallsRepository,
    private readonly endpoints: EndpointsRepository,
    private readonly subscriptions: SubscriptionCalls,
    private readonly executions: ExecutionCalls,
    private readonly queue: WorkQueue,
  ) {}

  /** All of one project. */
  async record(projectId: string, rounds: readonly Round[], isOver: () => boolean): Promise<void> {
    if (rounds.length === 0) return;
    for (const until = performance.now() + keptMs; ;) {
      try {
        return await this.database.transaction(() => this.write(projectId, rounds));
      } catch (error) {
        const isKept = isDatabaseAway(error) && performance.now() < until && !isOver();
        if (!isKept && rounds.length === 1) throw error;
        this.log.warn(`not recorded yet: ${(error as Error).message}`);
        if (!isKept) return this.recordEach(projectId, rounds, isOver);
        await delay(againMs);
      }
    }
  }

  /** Until then nobody else calls the endpoints. If the process ends, their calls are repeated after that time. */
  async putAside(projectId: string, rounds: readonly Round[], nextMs: number): Promise<void> {
    if (rounds.length === 0) return;
    const ids = rounds.map(({ endpoint: { id } }) => id);
    await this.database.transaction(async () => {
      const underWay = rounds.flatMap((round) => [...round.underWay]);
      await this.calls.addClaim(projectId, underWay);
      await this.endpoints.leaveAlone(projectId, ids, nextMs);
      await this.settle(
        projectId,
        rounds.map(({ item, batch }) => ({ item, batch, nextMs })),
      );
    });
  }

  settleIdle(projectId: string, turns: readonly Turn[]): Promise<void> {
    return this.database.transaction(() => this.settle(projectId, turns));
  }

  /** Joins the ambient transaction. */
  async settle(projectId: string, turns: readonly Turn[]): Promise<void> {
    for (const [batch, own] of Map.groupBy(turns, (turn) => turn.batch)) {
      const completed = batch?.complete(own.map(({ item }) => item));
      // Its items are somebody else's; what became of the calls is true nevertheless, and says itself whether it comes too late.
      await completed?.catch((error: unknown) => {
        if (!(error instanceof LeaseLost)) throw error;
      });
    }
    const next = turns.flatMap(({ item: { key, payload }, nextMs }) =>
      nextMs === null ? [] : [{ projectId, key: key!, payload, delayMs: Math.max(0, nextMs) }],
    );
    await this.queue.enqueue(callWork, next);
    this.queue.wakeAfterCommit();
  }

  /** One that cannot be recorded takes no other along. */
  private async recordEach(
    projectId: string,
    rounds: readonly Round[],
    isOver: () => boolean,
  ): Promise<void> {
    const recorded = rounds.map((round) => this.record(projectId, [round], isOver));
    const failed = (await Promise.allSettled(recorded)).find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  /** Subscriptions, calls, endpoints, items, executions: whoever changes several of these takes them in this order. */
  private async write(projectId: string, rounds: readonly Round[]): Promise<void> {
    const ofEvents = rounds.filter(({ kind }) => kind === 'EVENT');
    await this.subscriptions.lock(projectId, ofEvents);
    const ended = await this.calls.record(
      projectId,
      rounds.flatMap(({ attempts }) => attempts),
    );
    const judged = rounds.map(({ endpoint, attempts }) => ({ endpointId: endpoint.id, attempts }));
    const standings = new Map(
      (await this.endpoints.judge(projectId, judged)).map((standing) => [standing.id, standing]),
    );
    await this.subscriptions.judged(projectId, ofEvents, standings);
    const turns = rounds.map(({ item, batch, endpoint, error }): Turn => {
      const { nextMs, restMs } = standings.get(endpoint.id)!;
      const leastMs = Math.max(restMs, error ? afterErrorMs : 0);
      return { item, batch, nextMs: nextMs === null ? null : Math.max(nextMs, leastMs) };
    });
    await this.settle(projectId, turns);
    await this.executions.ended(
      projectId,
      rounds.filter(({ kind }) => kind === 'STEP'),
      ended,
    );
  }
}
