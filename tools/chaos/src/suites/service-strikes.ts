import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@posthorn/contracts';
import type pg from 'pg';
import {
  aimed,
  injectionsOf,
  seenMember,
  type FaultKind,
  type Injections,
  longStopMs,
} from '../faults/faults.js';
import { heldAt, until, watching, type Lock } from '../faults/lock-trap.js';
import type { DoneStrike } from '../judging/finding.js';
import type { Member, ProcessGroup } from '../process-group.js';
import { Random } from '../random.js';
import { countedBy, countsText, reportedLater, type Stage } from './suite.js';

interface Strike<State extends string> {
  kind: FaultKind;
  at: State | null;
}

/** How often each strike comes. */
export type Deck<State extends string> = readonly (readonly [FaultKind, State | null, number])[];

/** The service whose states are waited for. */
export interface Target<State extends string> {
  service: ServiceName;
  /** Each state is held open where its next statement waits for a lock. */
  locks: Readonly<Record<State, Lock>>;
  /** What strikes in the first half of the run, and in the second. */
  decks: readonly [Deck<State>, Deck<State>];
  /** States that come every few seconds only: how long they are waited for, while other strikes go on. */
  rare?: Partial<Record<State, number>>;
}

/** Longer than a handler may take and than an event stays without an answer; shorter than a minute. */
export const stopMs = { least: 26_000, most: 59_000 };
const restMs = { least: 800, most: 2_500 };
const downMs = { least: 100, most: 1_500 };
const trapMs = 2_500;
const catchMs = 3_000;

const strikesOf = <State extends string>(deck: Deck<State>): Strike<State>[] =>
  deck.flatMap(([kind, at, count]) => Array.from({ length: count }, () => ({ kind, at })));

/** The same for the same seed: so many strikes, half of them from either deck. */
function strikesFrom<State extends string>(
  [early, late]: readonly [Deck<State>, Deck<State>],
  count: number,
  random: Random,
): Strike<State>[] {
  const half = (deck: Deck<State>, length: number) => {
    const all = strikesOf(deck);
    return random.shuffled(
      Array.from({ length }, (_, index) => all[Math.floor((index * all.length) / length)]!),
    );
  };
  return [...half(early, Math.ceil(count / 2)), ...half(late, Math.floor(count / 2))];
}

/** Strikes one after another; who stands still does so meanwhile. */
export class ServiceStrikes<State extends string> {
  readonly done: DoneStrike[] = [];
  /** Where nobody came to the state in time. */
  missed = 0;
  private readonly standing = new Set<Member>();
  private isServerAway = false;
  private readonly running: Promise<void>[] = [];
  private readonly injections: Injections;

  constructor(
    private readonly stage: Stage,
    private readonly target: Target<State>,
  ) {
    this.injections = injectionsOf(stage.processes, stage.fixture, longStopMs);
  }

  async run(count: number): Promise<void> {
    const { random, options } = this.stage;
    const plan = strikesFrom(this.target.decks, count, new Random(options.seed + 2));
    for (const [index, strike] of plan.entries()) {
      await delay(random.whole(restMs.least, restMs.most));
      await this.strike(strike);
      if ((index + 1) % 10 === 0) console.log(`${index + 1} of ${plan.length} strikes`);
    }
    await Promise.all(this.running);
  }

  get line(): string {
    const kinds = countedBy(this.done, ({ kind, state }) => (state ? `${kind} at ${state}` : kind));
    return `Strikes: ${countsText(Object.entries(kinds))} · missed ${this.missed}`;
  }

  /** Of the strikes that are asked for: some find nobody in their state. */
  get wanted(): number {
    return Math.floor((this.stage.options.faults * 3) / 4);
  }

  /** Kills whoever is in that state, should somebody come to it in time. */
  async aim(kind: FaultKind, state: State): Promise<void> {
    const { processes, fixture } = this.stage;
    const { service, locks, rare } = this.target;
    const url = new URL(fixture.databaseUrl);
    url.pathname = `/posthorn_${service}`;
    const timeoutMs = rare?.[state] ?? trapMs;
    let isHit = false;
    await aimed(
      (inject) => heldAt(() => watching(url.toString()), locks[state], timeoutMs, inject),
      async (caught) => {
        const seen = seenMember(processes, processes.names(service), caught);
        isHit = seen !== null && !this.isServerAway;
        if (isHit) this.kill(seen![0]!, kind, state);
      },
    );
    if (!isHit) this.missed += 1;
  }

  private async strike({ kind, at }: Strike<State>): Promise<void> {
    const target = kind.split(' ')[1]!;
    if (at && this.target.rare?.[at]) this.running.push(reportedLater(this.aim(kind, at)));
    else if (at) await this.aim(kind, at);
    else if (target === 'postgres' || target === 'nats') await this.strikeServer(kind);
    else await this.strikeMember(kind, target as ServiceName);
  }

  /** A process that starts while a server is away ends at once, which would look like a crash. */
  private async strikeServer(kind: FaultKind): Promise<void> {
    const { processes, random } = this.stage;
    for (let before = -1; before !== this.done.length;) {
      before = this.done.length;
      await processes.untilAllReady(this.standing);
    }
    this.isServerAway = true;
    this.note(kind);
    await this.injections[kind]({ at: null, downMs: random.whole(downMs.least, downMs.most) }, []);
    this.isServerAway = false;
  }

  /** Where one process of a service stands still, another one is killed: with none at all there would be nothing to strike. */
  private async strikeMember(kind: FaultKind, service: ServiceName): Promise<void> {
    const { processes, random } = this.stage;
    const members = processes.names(service);
    const awake = members.filter((member) => !this.standing.has(member));
    const member = random.pick(awake.length > 0 ? awake : members);
    if (!kind.startsWith('stop') || awake.length < members.length)
      return this.kill(member, `kill ${service}`, null);
    await processes.untilAllReady(this.standing);
    const connect = () => watching(this.stage.fixture.databaseUrl);
    const isInside = await inTransaction(connect, processes, member, catchMs);
    const ms = random.whole(stopMs.least, stopMs.most);
    this.note(kind, isInside ? 'a transaction' : null);
    this.running.push(reportedLater(this.stand(member, ms)));
  }

  private async stand(member: Member, ms: number): Promise<void> {
    const { processes } = this.stage;
    console.log(`${member} stands still for ${Math.round(ms / 1_000)} s`);
    this.standing.add(member);
    processes.signal(member, 'SIGSTOP');
    await delay(ms);
    processes.signal(member, 'SIGCONT');
    this.standing.delete(member);
  }

  private kill(member: Member, kind: string, state: State | null): void {
    this.note(kind, state);
    this.stage.processes.signal(member, 'SIGKILL');
  }

  private note(kind: string, state: string | null = null): void {
    this.done.push({ kind, state, at: Date.now() });
  }
}

/** Whether this process was seen in a transaction in time; it may have ended that since. */
async function inTransaction(
  connect: () => Promise<pg.Client>,
  processes: ProcessGroup,
  member: Member,
  timeoutMs: number,
): Promise<true | null> {
  const watcher = await connect();
  try {
    return await until(timeoutMs, async () => {
      const { rows } = await watcher.query<{ name: string }>(
        `SELECT application_name AS name FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' OR (state = 'active' AND query ~* '(insert|update|delete)')`,
      );
      return rows.some(({ name }) => processes.memberOf(Number(/(\d+)/.exec(name)?.[1])) === member) || null;
    });
  } finally {
    await watcher.end().catch(() => undefined);
  }
}
