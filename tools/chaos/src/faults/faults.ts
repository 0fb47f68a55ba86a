import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@posthorn/contracts';
import type { Fixture } from '../fixture.js';
import type { Member, ProcessGroup } from '../process-group.js';
import type { Random } from '../random.js';
import type { Stage } from '../suites/suite.js';
import type { Caught } from './lock-trap.js';

export const leaseSeconds = 4;
/** After it a process that stood still has lost its lease. */
export const longStopMs = leaseSeconds * 1_000 + 1_500;
/** A stall lasts longer than a gateway waits: what it then voids must not come to be afterwards. */
const stallMs = 2_600;

/** A stop lasts longer than a lease, a pause shorter. */
export const faultKinds = [
  'kill sending',
  'stop sending',
  'pause sending',
  'leave sending',
  'kill gateway',
  'stop gateway',
  'pause gateway',
  'leave gateway',
  'kill contacts',
  'stop contacts',
  'kill analytics',
  'stop analytics',
  'kill campaigns',
  'stop campaigns',
  'kill workflows',
  'stop workflows',
  'crash postgres',
  'stall postgres',
  'kill nats',
  'wipe nats',
  'kill smtp',
  'refuse smtp',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault<State extends string> {
  /** The state that is waited for before the strike; null strikes at any moment. */
  at: State | null;
  fault: FaultKind;
  /** Which of the replicas. */
  replica: number;
  downMs: number;
  /** Whether everything is back before the next fault comes. */
  recovers: boolean;
}

export function faultAt<State extends string>(
  at: State | null,
  fault: FaultKind,
  random: Random,
): Fault<State> {
  return {
    at,
    fault,
    replica: random.whole(0, 7),
    downMs: random.whole(100, 1_500),
    recovers: random.chance(0.6),
  };
}

type Inject = (caught: Caught) => Promise<void>;

/** Carries the deck out, and writes down which state each fault really hit. */
export abstract class FaultInjector<State extends string> {
  readonly hits: Record<State, number>;
  readonly injected = new Map<FaultKind, number>();
  missed = 0;
  protected readonly processes: ProcessGroup;
  protected readonly injections: Injections;

  constructor(
    private readonly stage: Stage,
    states: readonly State[],
  ) {
    this.hits = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>;
    this.processes = stage.processes;
    this.injections = injectionsOf(stage.processes, stage.fixture, longStopMs);
  }

  async inject(fault: Fault<State>): Promise<void> {
    const { at, fault: kind } = fault;
    const isHit = at
      ? await aimed(
          (inject) => this.trap(at, inject),
          (caught) => this.act(fault, this.victims(fault, caught)),
          kind === 'stall postgres' ? stallMs : undefined,
        )
      : await this.act(fault, this.victims(fault, null)).then(() => true);
    if (isHit && at) this.hits[at] += 1;
    if (isHit) this.injected.set(kind, (this.injected.get(kind) ?? 0) + 1);
    else this.missed += 1;
    appendFileSync(
      join(this.stage.options.directory, 'faults.jsonl'),
      `${JSON.stringify({ instant: performance.now(), ...fault, isHit })}\n`,
    );
    if (fault.recovers) await this.processes.untilAllReady();
  }

  /** Waits for a process to be in a state, and keeps it there while `inject` runs. Returns null when none came in time. */
  protected abstract trap(state: State, inject: Inject): Promise<Caught | null>;

  protected act(fault: Fault<State>, members: readonly Member[]): Promise<void> {
    return this.injections[fault.fault](fault, members);
  }

  /** The very process that was seen; all of them where the state does not tell whose it was. */
  private victims({ fault, replica, at }: Fault<State>, caught: Caught | null): readonly Member[] {
    const members = this.processes.names(fault.split(' ')[1] as ServiceName);
    return seenMember(this.processes, members, caught) ?? (at && caught ? members : nth(members, replica));
  }
}

/** How hard, and whether somebody was waited for. */
interface Blow {
  at: string | null;
  downMs: number;
}
type Injection = (blow: Blow, members: readonly Member[]) => Promise<void>;
export type Injections = Readonly<Record<FaultKind, Injection>>;

const tries = 4;
const betweenTriesMs = 700;
const holdsMs = 50;

/** What each weapon does; a stop takes `stopMs`. */
export function injectionsOf(processes: ProcessGroup, fixture: Fixture, stopMs: number): Injections {
  const freeze = async (members: readonly Member[], ms: number) => {
    for (const member of members) processes.signal(member, 'SIGSTOP');
    await delay(ms);
    for (const member of members) processes.signal(member, 'SIGCONT');
  };
  const kill: Injection = async (_, members) => {
    for (const member of members) processes.signal(member, 'SIGKILL');
  };
  const stop: Injection = (_, members) => freeze(members, stopMs);
  const pause: Injection = ({ downMs }, members) => freeze(members, downMs);
  const leave: Injection = async (_, members) => {
    await Promise.all(members.map((member) => processes.leave(member)));
  };
  return {
    'kill sending': kill,
    'stop sending': stop,
    'pause sending': pause,
    'leave sending': leave,
    'kill gateway': kill,
    'stop gateway': stop,
    'pause gateway': pause,
    'leave gateway': leave,
    'kill contacts': kill,
    'stop contacts': stop,
    'kill analytics': kill,
    'stop analytics': stop,
    'kill campaigns': kill,
    'stop campaigns': stop,
    'kill workflows': kill,
    'stop workflows': stop,
    // The trap's own lock is what stalls; a blind one has nothing to hold.
    'stall postgres': ({ at }) => delay(at ? stallMs : 0),
    'crash postgres': ({ downMs }) => fixture.crashPostgres(downMs),
    'kill nats': ({ downMs }) => fixture.killNats(downMs, { wipe: false }),
    'wipe nats': ({ downMs }) => fixture.killNats(downMs, { wipe: true }),
    'kill smtp': ({ downMs }) => fixture.killSink(downMs),
    'refuse smtp': ({ downMs }) => fixture.refuseAtSink(downMs),
  };
}

/** Strikes whoever a trap catches, in a few tries; returns whether it caught anybody. */
export async function aimed(
  trap: (inject: (caught: Caught) => Promise<void>) => Promise<Caught | null>,
  act: (caught: Caught) => Promise<void>,
  holdMs = holdsMs,
): Promise<boolean> {
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const injections: Promise<void>[] = [];
    const caught = await trap(async (seen) => {
      // The strike goes on after the trap has let go: what it holds must not hold up the way back.
      injections.push(act(seen));
      await Promise.race([...injections, delay(holdMs)]);
    }).catch(() => null);
    await Promise.all(injections);
    if (caught) return true;
    await delay(betweenTriesMs);
  }
  return false;
}

/** The very process that was seen, where it is one of these. */
export function seenMember(
  processes: ProcessGroup,
  members: readonly Member[],
  caught: Caught | null,
): readonly Member[] | null {
  const seen = caught?.pid ? processes.memberOf(caught.pid) : undefined;
  return seen && members.includes(seen) ? [seen] : null;
}

const nth = (members: readonly Member[], replica: number): readonly Member[] =>
  members.slice(replica % Math.max(1, members.length)).slice(0, 1);
