import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Gatherer } from '@posthorn/messaging';
import { WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { afterDeathMs, callWork, type EndpointOf } from '../../work-kinds.js';
import { unmadeAttempt, type CallAttempt, type DueCall } from '../calls/call-attempts.js';
import { CallOutcomes } from './call-outcomes.js';
import { ExecutionCalls, SubscriptionCalls, type CallOwner, type Round } from './call-owners.js';
import { CallRounds } from './call-rounds.js';
import { failuresToBreak } from './endpoints.repository.js';

interface Sending {
  round: Round;
  isOver: boolean;
  end: Promise<void>;
}

const callsAtOnce = 8;
/** Then no further call of the round begins. */
const roundMs = 2_000;
/** A slower endpoint gives back its place, and its calls end meanwhile. */
const placeMs = 500;
/** Those that end soon after one another are recorded together. */
const gatherMs = 20;
/** Longer than a call may take, and its outcome to be recorded. */
const asideMs = 30_000;
const maxAside = 2_000;
const endMs = 5_000;
const maxClaims = 5;
const claimedTooOften = `The process ended ${maxClaims} times while this was sent`;

/** The turns of endpoints: what is due for each is sent, a few calls at once (docs/decisions/0040-webhook-calls.md). None holds its place for longer than an endpoint is quick. */
@Injectable()
export class CallDispatchWork implements WorkHandler<EndpointOf>, OnModuleDestroy {
  private readonly log = new Logger('Webhooks');
  private readonly owners: Readonly<Record<EndpointOf['kind'], CallOwner>>;
  private readonly aside = new Set<Promise<void>>();
  private readonly late = new Gatherer<Round, void>({
    flush: (rounds) => this.recordLate(rounds),
    maxItems: 64,
    lingerMs: gatherMs,
  });
  private stopping = false;

  constructor(
    private readonly rounds: CallRounds,
    private readonly outcomes: CallOutcomes,
    subscriptions: SubscriptionCalls,
    executions: ExecutionCalls,
    runner: WorkRunner,
  ) {
    this.owners = { EVENT: subscriptions, STEP: executions };
    runner.register(callWork, this);
  }

  async run(batch: WorkBatch<EndpointOf>): Promise<void> {
    if (batch.unsettled[0]!.claims > 1) return this.rounds.countDeath(batch);
    const late = performance.now() + placeMs;
    const opened = await this.rounds.open(batch);
    let sending = opened.map((round) => this.begin(round));
    let failed: Error | null = null;
    while (sending.length > 0) {
      await someEnd(sending, late - performance.now());
      const ended = sending.filter(({ isOver }) => isOver);
      sending = sending.filter(({ isOver }) => !isOver);
      failed = (await this.record(batch, ended)) ?? failed;
      if (performance.now() >= late && (await this.putAside(batch, sending))) break;
    }
    if (failed) throw failed;
  }

  async dead(item: WorkItem<EndpointOf>): Promise<void> {
    await this.outcomes.settle(item.projectId, [{ item, batch: null, nextMs: afterDeathMs }]);
  }

  /** What it sent ends now or is repeated later, under the same ids. */
  async onModuleDestroy(): Promise<void> {
    await Promise.race([Promise.all(this.aside), delay(endMs, undefined, { ref: false })]);
    this.stopping = true;
  }

  private begin(round: Round): Sending {
    const sending: Sending = { round, isOver: false, end: Promise.resolve() };
    sending.end = this.send(round).finally(() => (sending.isOver = true));
    return sending;
  }

  /** Never rejects. */
  private async send(round: Round): Promise<void> {
    const { waiting, underWay, attempts } = round;
    const until = performance.now() + roundMs;
    let faults = 0;
    const lane = async () => {
      for (let call = waiting.shift(); call; call = waiting.shift()) {
        underWay.add(call);
        const attempt = await this.attempt(round, call).catch((error: Error) => (round.error = error));
        underWay.delete(call);
        if (!(attempt instanceof Error)) attempts.push(attempt);
        faults = attempt instanceof Error || attempt.isFault ? faults + 1 : 0;
        const isGone = !(attempt instanceof Error) && attempt.verdict.kind === 'gone';
        const isLate = performance.now() >= until || this.stopping || round.batch?.stopping !== false;
        if (isGone || isLate || round.error || faults >= failuresToBreak) waiting.length = 0;
      }
    };
    await Promise.all(Array.from({ length: Math.min(callsAtOnce, waiting.length) }, lane));
  }

  private async attempt(round: Round, call: DueCall): Promise<CallAttempt> {
    const request = round.requests.get(call.requestId);
    if (!request) return unmadeAttempt(call, 'What was to be sent is gone');
    if (call.claims >= maxClaims) return unmadeAttempt(call, claimedTooOften);
    return this.owners[round.kind].attempt(round, call, request);
  }

  /** Returns why some could not be recorded; the others of the batch go on. */
  private record(batch: WorkBatch<EndpointOf>, ended: readonly Sending[]): Promise<Error | null> {
    const rounds = ended.map(({ round }) => round);
    return this.outcomes
      .record(batch.projectId, rounds, () => batch.stopping)
      .then(() => null)
      .catch((error: Error) => error);
  }

  /** False where they stay in their places. */
  private async putAside(batch: WorkBatch<EndpointOf>, sending: readonly Sending[]): Promise<boolean> {
    if (this.aside.size >= maxAside) return false;
    for (const { round } of sending) round.waiting.length = 0;
    try {
      await this.outcomes.putAside(
        batch.projectId,
        sending.map(({ round }) => round),
        asideMs,
      );
    } catch (error) {
      this.log.warn(`not put aside: ${(error as Error).message}`);
      return false;
    }
    for (const { round, end } of sending) {
      round.batch = null;
      const ended = end.then(() => this.late.submit(round));
      this.aside.add(ended);
      void ended.finally(() => this.aside.delete(ended));
    }
    return true;
  }

  /** What is not recorded is sent again. */
  private async recordLate(rounds: Round[]): Promise<void[]> {
    for (const [projectId, own] of this.stopping ? [] : Map.groupBy(rounds, (round) => round.projectId))
      await this.outcomes
        .record(projectId, own, () => this.stopping)
        .catch((error: Error) => this.log.warn(`not recorded: ${error.message}`));
    return rounds.map(() => undefined);
  }
}

/** All, or some and those that end soon after; or their place is over. */
async function someEnd(sending: readonly Sending[], leftMs: number): Promise<void> {
  const ends = sending.map(({ end }) => end);
  await Promise.race([...ends, delay(Math.max(gatherMs, leftMs), undefined, { ref: false })]);
  await Promise.race([Promise.all(ends), delay(gatherMs, undefined, { ref: false })]);
}
