import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '@posthorn/database';
import {
  WorkQueue,
  type WorkBatch,
  type WorkItem,
  type WorkKind,
  type WorkHandler,
  type WorkRunner,
} from '@posthorn/work';
import { unmadeAttempt, type CallAttempt, type DueCall } from '../webhook-attempts.js';
import { EndpointsRepository, failuresToBreak, type EndpointId } from './endpoints.repository.js';

export interface OpenEndpoint extends EndpointId {
  /** It has failed several times: one call shows whether it works again. */
  isBroken: boolean;
  restMs: number;
}

/** Whose calls are made: those of events, or of steps. */
export interface CallSource<Endpoint extends OpenEndpoint, Call extends DueCall> {
  kind: WorkKind;
  /** Null where nothing can be sent; then `tidyUp` is called. */
  open(of: EndpointId): Promise<Endpoint | null>;
  due(endpoint: Endpoint, limit: number): Promise<Call[]>;
  /** Null where no call waits. */
  nextDueMs(endpoint: Endpoint): Promise<number | null>;
  /** Rejects only where the database is away. */
  attempt(endpoint: Endpoint, call: Call): Promise<CallAttempt<Call>>;
  /** Joins the transaction, and settles the turn where the order of locks wants it. What was recorded since counts, and not this. */
  record(
    endpoint: Endpoint,
    attempts: readonly CallAttempt<Call>[],
    settle: () => Promise<void>,
  ): Promise<void>;
  addClaims(of: EndpointId, calls: readonly DueCall[], by: 1 | -1): Promise<void>;
  /** Returns whether there is more. */
  tidyUp(of: EndpointId): Promise<boolean>;
}

type Sent<Call extends DueCall> = Promise<CallAttempt<Call>[]>;

/** Then another endpoint has its turn. */
const turnMs = 2_000;
const callsPerRound = 50;
const callsAtOnce = 8;
/** A slower endpoint gives back its place, and its calls end meanwhile. */
const placeMs = 500;
/** Longer than a call may take. */
const asideMs = 15_000;
const maxAside = 2_000;
const endMs = 5_000;
const maxClaims = 5;
const claimedTooOften = `The process ended ${maxClaims} times while this was sent`;

/**
 * An endpoint's turn: what is due for it is sent, a few calls at once, until its time is over (docs/decisions/0031-webhooks.md). No
 * turn holds its place for longer than an endpoint is quick.
 */
@Injectable()
export class EndpointDispatcher implements OnModuleDestroy {
  private readonly log = new Logger('Webhooks');
  private readonly aside = new Set<Promise<void>>();
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly endpoints: EndpointsRepository,
    private readonly queue: WorkQueue,
  ) {}

  async take<Endpoint extends OpenEndpoint, Call extends DueCall>(
    source: CallSource<Endpoint, Call>,
    batch: WorkBatch,
  ): Promise<void> {
    const [item] = batch.items as [WorkItem];
    const of = { projectId: item.projectId, id: item.key! };
    if (batch.unsettled[0]!.claims > 1) return this.countDeath(source, batch, of);
    const until = performance.now() + turnMs;
    let next: number | null | 'aside';
    do next = await this.round(source, batch, of);
    while (next === 0 && !batch.stopping && performance.now() < until);
    if (typeof next === 'number') await batch.postpone(batch.items, next);
  }

  /** What it sent ends now or is repeated later, under the same ids. */
  async onModuleDestroy(): Promise<void> {
    await Promise.race([Promise.all(this.aside), delay(endMs, undefined, { ref: false })]);
    this.stopping = true;
  }

  /** Sends nothing, because others wait while such an item is handled. */
  private async countDeath<Endpoint extends OpenEndpoint, Call extends DueCall>(
    source: CallSource<Endpoint, Call>,
    batch: WorkBatch,
    of: EndpointId,
  ): Promise<void> {
    const endpoint = await source.open(of);
    const calls = endpoint ? separate(await source.due(endpoint, callsPerRound)) : [];
    await this.database.transaction(async () => {
      await source.addClaims(of, calls, 1);
      await batch.postpone(batch.items, 0);
    });
  }

  /** Returns in how many milliseconds there is more to do. */
  private async round<Endpoint extends OpenEndpoint, Call extends DueCall>(
    source: CallSource<Endpoint, Call>,
    batch: WorkBatch,
    of: EndpointId,
  ): Promise<number | null | 'aside'> {
    const endpoint = await source.open(of);
    if (!endpoint) return (await source.tidyUp(of)) ? 0 : null;
    if (endpoint.restMs > 0) return endpoint.restMs;
    const calls = separate(await source.due(endpoint, endpoint.isBroken ? 1 : callsPerRound));
    if (calls.length === 0) return source.nextDueMs(endpoint);
    const sent = this.send(source, endpoint, calls);
    const isQuick = await Promise.race([sent.then(() => true), delay(placeMs, false, { ref: false })]);
    if (!isQuick && this.aside.size < maxAside) {
      await this.putAside(source, endpoint, { calls, sent, batch });
      return 'aside';
    }
    const attempts = await sent;
    await this.database.transaction(() =>
      source.record(endpoint, attempts, () => batch.hold(batch.items[0]!)),
    );
    return 0;
  }

  private async send<Endpoint extends OpenEndpoint, Call extends DueCall>(
    source: CallSource<Endpoint, Call>,
    endpoint: Endpoint,
    calls: readonly Call[],
  ): Sent<Call> {
    const [waiting, ended] = [[...calls], [] as CallAttempt<Call>[]];
    const until = performance.now() + turnMs;
    let faults = 0;
    const lane = async () => {
      for (let call = waiting.shift(); call;) {
        const attempt =
          call.claims < maxClaims
            ? await source.attempt(endpoint, call)
            : unmadeAttempt(call, claimedTooOften);
        ended.push(attempt);
        faults = attempt.isFault ? faults + 1 : 0;
        const goesOn =
          faults < failuresToBreak &&
          attempt.verdict.kind !== 'gone' &&
          performance.now() < until &&
          !this.stopping;
        call = goesOn ? waiting.shift() : undefined;
      }
    };
    await Promise.all(Array.from({ length: Math.min(callsAtOnce, calls.length) }, lane));
    return ended;
  }

  /** Until then nobody else calls the endpoint. If the process ends, its calls are repeated after that time. */
  private async putAside<Endpoint extends OpenEndpoint, Call extends DueCall>(
    source: CallSource<Endpoint, Call>,
    endpoint: Endpoint,
    { calls, sent, batch }: { calls: readonly Call[]; sent: Sent<Call>; batch: WorkBatch },
  ): Promise<void> {
    await this.database.transaction(async () => {
      await source.addClaims(endpoint, calls, 1);
      await this.endpoints.leaveAlone(endpoint, asideMs);
      await batch.postpone(batch.items, asideMs);
    });
    const ended = this.recordLater(source, endpoint, { calls, sent });
    this.aside.add(ended);
    void ended.finally(() => this.aside.delete(ended));
  }

  /** Never rejects: what is not recorded is sent again. */
  private async recordLater<Endpoint extends OpenEndpoint, Call extends DueCall>(
    source: CallSource<Endpoint, Call>,
    endpoint: Endpoint,
    { calls, sent }: { calls: readonly Call[]; sent: Sent<Call> },
  ): Promise<void> {
    const record = async (attempts: readonly CallAttempt<Call>[]) => {
      const made = new Set(attempts.map(({ call }) => call));
      const { projectId, id: key } = endpoint;
      await source.record(endpoint, attempts, () => this.queue.enqueue(source.kind, [{ projectId, key }]));
      await source.addClaims(
        endpoint,
        calls.filter((call) => !made.has(call)),
        -1,
      );
    };
    await sent
      .then((attempts) => (this.stopping ? undefined : this.database.transaction(() => record(attempts))))
      .catch((error: Error) => this.log.warn(`not recorded: ${error.message}`));
  }
}

/** One that was sent when a process ended may be why: it is sent alone. */
function separate<Call extends DueCall>(calls: Call[]): Call[] {
  const first = calls.findIndex(({ claims }) => claims > 0);
  return first === -1 ? calls : calls.slice(0, Math.max(1, first));
}

const afterDeathMs = 60_000;

/** One item for each endpoint with calls; its key is the endpoint. */
export abstract class DispatchWork<
  Endpoint extends OpenEndpoint,
  Call extends DueCall,
> implements WorkHandler<object> {
  protected constructor(
    private readonly dispatcher: EndpointDispatcher,
    private readonly source: CallSource<Endpoint, Call>,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(source.kind, this);
  }

  run(batch: WorkBatch): Promise<void> {
    return this.dispatcher.take(this.source, batch);
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.queue.enqueue(this.source.kind, [{ projectId, key: key!, delayMs: afterDeathMs }]);
  }
}
