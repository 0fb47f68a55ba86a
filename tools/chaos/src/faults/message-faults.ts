import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { emailIdOf, readSinkLedger } from '../judging/ledger.js';
import type { Records } from '../judging/records.js';
import type { Member } from '../process-group.js';
import type { Random } from '../random.js';
import type { Stage } from '../suites/suite.js';
import { faultAt, FaultInjector, faultKinds, type Fault, type FaultKind } from './faults.js';
import { heldAt, until, watching, type Caught, type Lock } from './lock-trap.js';

/** The lines of a message's life at which a process may die (docs/guarantees.md §7). */
export const states = [
  'accept transaction',
  'CLAIMED',
  'HANDOFF before the last byte',
  'HANDOFF after the last byte',
  'final write',
  'relay between publish and mark',
] as const;
export type State = (typeof states)[number];

const faultKindsAt: Record<State, readonly FaultKind[]> = {
  'accept transaction': ['kill sending', 'crash postgres', 'stall postgres', 'kill nats', 'pause sending'],
  CLAIMED: ['kill sending', 'stop sending', 'crash postgres'],
  'HANDOFF before the last byte': ['kill sending', 'kill smtp', 'stop sending'],
  'HANDOFF after the last byte': ['kill sending', 'kill smtp', 'crash postgres'],
  'final write': ['kill sending', 'crash postgres', 'stop sending'],
  'relay between publish and mark': ['kill sending', 'wipe nats', 'crash postgres'],
};

const statesShare = 0.7;

/** The deck of one run: the same for the same seed. Each state comes equally often, then each weapon at any moment. */
export function planOf(count: number, random: Random): Fault<State>[] {
  const aimed = Array.from({ length: Math.round(count * statesShare) }, (_, index) => {
    const at = states[index % states.length]!;
    const choice = faultKindsAt[at];
    return faultAt<State>(at, choice[Math.floor(index / states.length) % choice.length]!, random);
  });
  const anyTime = faultKinds.filter((kind) => kind !== 'stall postgres');
  const blind = Array.from({ length: count - aimed.length }, (_, index) =>
    faultAt<State>(null, anyTime[index % anyTime.length]!, random),
  );
  return random.shuffled([...aimed, ...blind]);
}

const timeoutMs = 2_500;
const lookWithinMs = 60_000;
const lookAgainMs = 100;

export interface InjectedFault {
  fault: FaultKind;
  /** How many sending processes ended by it, or lost their leases. */
  ends: number;
  from: number;
  to: number;
}

/** What may leave a message in doubt. A pause is shorter than a lease, and a leaving process finishes what it has. */
const repeats: ReadonlySet<FaultKind> = new Set([
  'kill sending',
  'stop sending',
  'crash postgres',
  'stall postgres',
  'kill smtp',
  'refuse smtp',
]);

/** States that last no time are held open by a lock that their next statement waits for. */
const locks: Partial<Record<State, Lock>> = {
  'accept transaction': { table: 'email_contents', statement: '%INSERT INTO emails (%' },
  // Postgres shows the first kilobyte of a statement.
  'final write': { table: 'email_events', statement: '%record-outcomes%' },
  'relay between publish and mark': { table: 'outbox', statement: '%UPDATE outbox SET published_at%' },
};

/** So long the mail server keeps slow ones waiting: at DATA, or for its answer. */
const lateMs = 700;
/** What is answered before the strike lands was missed. */
const injectMs = 200;

/** Strikes messages at the states of their life. */
export class MessageFaults extends FaultInjector<State> {
  /** By e-mail: how many faults found it in hand-off. Each of them may cost one repeat, and nothing else may (docs/guarantees.md G4). */
  readonly suspected = new Map<string, number>();
  /** When which weapon struck, until all was back. */
  readonly injectedFaults: InjectedFault[] = [];
  private readonly sinkLedger: string;

  constructor(
    stage: Stage,
    private readonly records: Records,
  ) {
    super(stage, states);
    this.sinkLedger = stage.fixture.sinkLedger;
  }

  protected override trap(state: State, inject: (caught: Caught) => Promise<void>): Promise<Caught | null> {
    const lock = locks[state];
    return lock ? heldAt(() => this.connect(), lock, timeoutMs, inject) : this.seen(state, inject);
  }

  protected override async act(fault: Fault<State>, members: readonly Member[]): Promise<void> {
    const { fault: kind } = fault;
    const ends = this.endsOf(kind, members);
    const made: InjectedFault = { fault: kind, ends, from: performance.now(), to: Infinity };
    this.injectedFaults.push(made);
    const pids = members.flatMap((member) => this.processes.pidOf(member) ?? []);
    const injected = this.injections[kind](fault, members);
    const found = new Set<string>();
    const look = async () => {
      for (const id of await this.records.inHandOff()) found.add(id);
    };
    if (repeats.has(kind)) await look().catch(() => undefined);
    await injected;
    // A mark that was on its way may have been committed since, and a database that was away can be asked only now.
    if (repeats.has(kind))
      await untilDone(async () => {
        if (kind === 'kill sending' && (await this.records.hasSessions('sending', pids)))
          throw new Error('Postgres has not ended the sessions of killed processes');
        await look();
      });
    for (const id of found) this.suspected.set(id, (this.suspected.get(id) ?? 0) + 1);
    made.to = performance.now();
  }

  /** Without Postgres every process loses its lease. */
  private endsOf(kind: FaultKind, members: readonly Member[]): number {
    if (kind === 'kill sending' || kind === 'stop sending') return members.length;
    const loses = kind === 'crash postgres' || kind === 'stall postgres';
    return loses ? this.processes.names('sending').length : 0;
  }

  private async seen(state: State, inject: (caught: Caught) => Promise<void>): Promise<Caught | null> {
    const watcher = await this.connect();
    try {
      const caught = await until(timeoutMs, async () => {
        const { rows } = await watcher.query<{ id: string }>(seenSql[state]!);
        return rows.length > 0 && rows.some(this.isReally(state)) ? { pid: null } : null;
      });
      if (caught) await inject(caught);
      return caught;
    } finally {
      await watcher.end().catch(() => undefined);
    }
  }

  /** Before or after the last byte is what the mail server knows, whatever the row says. */
  private isReally(state: State): (row: { id: string }) => boolean {
    if (state === 'CLAIMED') return () => true;
    const after = state === 'HANDOFF after the last byte';
    const since = after ? Date.now() - (lateMs - injectMs) : 0;
    const lines = readSinkLedger(this.sinkLedger).filter(({ receivedAt }) => receivedAt > since);
    const taken = new Set(lines.map(emailIdOf));
    return ({ id }) => taken.has(id) === after;
  }

  private connect(): Promise<pg.Client> {
    return watching(this.records.urlOf('sending'));
  }
}

/** A database that has just been started refuses connections at first, and one whose client was killed notices later. */
async function untilDone(look: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + lookWithinMs;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(lookAgainMs);
    }
  }
}

const heldByOther = `EXISTS (SELECT 1 FROM workers w WHERE w.id = worker_id AND w.expires_at > now())`;
const slow = (name: string, states: string) =>
  `SELECT email_id AS id FROM deliveries WHERE state IN (${states}) AND recipient LIKE '${name}-${lateMs}+%' AND ${heldByOther}`;

const seenSql: Partial<Record<State, string>> = {
  CLAIMED: `SELECT email_id AS id FROM deliveries WHERE state = 'CLAIMED' AND ${heldByOther}`,
  'HANDOFF before the last byte': slow('late-at-data', `'HANDOFF'`),
  'HANDOFF after the last byte': slow('late-at-accept', `'CLAIMED', 'HANDOFF'`),
};
