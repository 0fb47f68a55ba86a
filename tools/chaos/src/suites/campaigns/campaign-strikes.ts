import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@posthorn/contracts';
import type { FaultKind } from '../../faults/faults.js';
import { inTransaction } from '../../faults/in-transaction.js';
import { aimed, injectionsOf, seenMember, type Injections } from '../../faults/injections.js';
import { heldAt, watching, type Lock } from '../../faults/lock-trap.js';
import type { Member } from '../../process-group.js';
import type { Random } from '../../random.js';
import type { CampaignStrike } from './campaign-evidence.js';
import { stopMs } from '../stops.js';
import { reportedLater, type Stage } from '../suite.js';

/** What campaigns may be at when it dies (docs/decisions/0028-campaigns.md), each held open where its next statement waits for a lock. */
const locks = {
  'freeze before its page is written': { table: 'recipients', statement: '%INSERT INTO recipients (%' },
  'hand-over before its commit': { table: 'recipients', statement: '%SET handed_over = true%' },
  'results before their commit': { table: 'campaign_counts', statement: '%array_agg(outcome ORDER BY%' },
  'transition before its commit': { table: 'campaigns', statement: 'UPDATE "campaigns" SET%' },
} as const satisfies Record<string, Lock>;
type State = keyof typeof locks;

interface Strike {
  kind: FaultKind;
  at: State | null;
}

type Deck = readonly (readonly [FaultKind, State | null, number])[];

/** While there is something to hand over. */
const early: Deck = [
  ['kill campaigns', 'hand-over before its commit', 5],
  ['kill campaigns', 'results before their commit', 2],
  ['kill campaigns', 'transition before its commit', 1],
  ['kill campaigns', null, 1],
  ['kill sending', null, 4],
  ['kill contacts', null, 2],
  ['kill gateway', null, 2],
  ['stop sending', null, 1],
  ['stop campaigns', null, 1],
  ['stop gateway', null, 1],
  ['crash postgres', null, 2],
  ['wipe nats', null, 2],
];
const late: Deck = [
  ['kill campaigns', 'results before their commit', 3],
  ['kill campaigns', 'transition before its commit', 2],
  ['kill campaigns', null, 3],
  ['kill sending', null, 5],
  ['kill contacts', null, 2],
  ['kill gateway', null, 2],
  ['stop sending', null, 1],
  ['stop campaigns', null, 1],
  ['stop contacts', null, 1],
  ['crash postgres', null, 2],
  ['wipe nats', null, 1],
  ['kill nats', null, 1],
];
const restMs = { least: 800, most: 2_500 };
const downMs = { least: 100, most: 1_500 };
const trapMs = 2_500;
/** A transition comes every few seconds. */
const transitionMs = 12_000;
const catchMs = 3_000;
const shortStopMs = 5_500;

const strikesOf = (deck: Deck): Strike[] =>
  deck.flatMap(([kind, at, count]) => Array.from({ length: count }, () => ({ kind, at })));

/** The same for the same seed: so many strikes, half of them from either deck. */
export function strikePlan(count: number, random: Random): Strike[] {
  const half = (deck: Deck, length: number) => {
    const all = strikesOf(deck);
    return random.shuffled(
      Array.from({ length }, (_, index) => all[Math.floor((index * all.length) / length)]!),
    );
  };
  return [...half(early, Math.ceil(count / 2)), ...half(late, Math.floor(count / 2))];
}

/** Strikes one after another; who stands still does so meanwhile. */
export class CampaignStrikes {
  readonly done: CampaignStrike[] = [];
  /** Where nobody came to the state in time. */
  missed = 0;
  private readonly standing = new Set<Member>();
  private isServerAway = false;
  private readonly running: Promise<void>[] = [];
  private readonly injections: Injections;

  constructor(private readonly stage: Stage) {
    this.injections = injectionsOf(stage.processes, stage.fixture, shortStopMs);
  }

  /** While the audience is written down, which takes a moment only. */
  freeze(): Promise<void> {
    return this.aim('kill campaigns', 'freeze before its page is written');
  }

  async run(plan: readonly Strike[]): Promise<void> {
    const { random } = this.stage;
    for (const [index, strike] of plan.entries()) {
      await delay(random.whole(restMs.least, restMs.most));
      await this.strike(strike);
      if ((index + 1) % 10 === 0) console.log(`${index + 1} of ${plan.length} strikes`);
    }
    await Promise.all(this.running);
  }

  get line(): string {
    const kinds = Map.groupBy(this.done, ({ kind, state }) => (state ? `${kind} at ${state}` : kind));
    return [...kinds].map(([kind, each]) => `${kind} ${each.length}`).join(' · ');
  }

  private async strike({ kind, at }: Strike): Promise<void> {
    const target = kind.split(' ')[1]!;
    if (at === 'transition before its commit') this.running.push(reportedLater(this.aim(kind, at)));
    else if (at) await this.aim(kind, at);
    else if (target === 'postgres' || target === 'nats') await this.strikeServer(kind);
    else await this.strikeMember(kind, target as ServiceName);
  }

  private async aim(kind: FaultKind, state: State): Promise<void> {
    const { processes, fixture } = this.stage;
    const url = new URL(fixture.databaseUrl);
    url.pathname = '/posthorn_campaigns';
    const timeoutMs = state === 'transition before its commit' ? transitionMs : trapMs;
    let isHit = false;
    await aimed(
      (inject) => heldAt(() => watching(url.toString()), locks[state], timeoutMs, inject),
      async (caught) => {
        const seen = seenMember(processes, processes.names('campaigns'), caught);
        isHit = seen !== null && !this.isServerAway;
        if (isHit) this.kill(seen![0]!, kind, state);
      },
    );
    if (!isHit) this.missed += 1;
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
