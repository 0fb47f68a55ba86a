import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@posthorn/contracts';
import { stallMs, states, type Fault, type State, type Weapon } from './faults.js';
import type { Fleet, Member } from './fleet.js';
import type { Ground } from './ground.js';
import type { Caught, Traps } from './traps.js';
import type { Books } from './books.js';

const patienceMs = 2_500;
const tries = 4;
const betweenTriesMs = 700;

type Strike = (fault: Fault, members: readonly Member[]) => Promise<void>;

/** Carries the deck out, and writes down which state each fault really hit. */
export class Nemesis {
  readonly hits = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>;
  readonly struck = new Map<Weapon, number>();
  /** E-mails in hand-off, or in doubt, at the instant of a fault: only these may be repeated (guarantees.md G4). */
  readonly doubted = new Set<string>();
  missed = 0;
  private readonly stopMs: number;

  constructor(
    private readonly fleet: Fleet,
    private readonly ground: Ground,
    private readonly traps: Traps,
    private readonly books: Books,
    private readonly options: { directory: string; leaseSeconds: number },
  ) {
    this.stopMs = options.leaseSeconds * 1_000 + 1_500;
  }

  async strike(fault: Fault): Promise<void> {
    const caught = fault.at ? await this.aim(fault, fault.at) : await this.act(fault, this.victims(fault, null)).then(() => true);
    if (caught) this.struck.set(fault.weapon, (this.struck.get(fault.weapon) ?? 0) + 1);
    else this.missed += 1;
    appendFileSync(join(this.options.directory, 'faults.jsonl'), `${JSON.stringify({ instant: performance.now(), ...fault, caught })}\n`);
    if (fault.recovers) await this.fleet.untilAllReady();
    await this.noteDoubt();
  }

  private async aim(fault: Fault, state: State): Promise<boolean> {
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      const strikes: Promise<void>[] = [];
      const caught = await this.traps
        .at(state, patienceMs, async (seen) => {
          // The strike goes on after the trap has let go: what it holds must not hold up the way back.
          strikes.push(this.act(fault, this.victims(fault, seen)));
          await Promise.race([...strikes, delay(fault.weapon === 'stall postgres' ? stallMs : 50)]);
        })
        .catch(() => null);
      await Promise.all(strikes);
      if (caught) {
        this.hits[state] += 1;
        return true;
      }
      await delay(betweenTriesMs);
    }
    return false;
  }

  private async act(fault: Fault, members: readonly Member[]): Promise<void> {
    const struck = this.strikes[fault.weapon](fault, members);
    await this.noteDoubt();
    await struck;
  }

  private async noteDoubt(): Promise<void> {
    for (const id of await this.books.inDoubt().catch(() => [])) this.doubted.add(id);
  }

  /** The very process that was seen; all of them where the state does not tell whose it was. */
  private victims({ weapon, replica, at }: Fault, caught: Caught | null): readonly Member[] {
    const service = weapon.split(' ')[1] as ServiceName;
    const members = this.fleet.names(service);
    const seen = caught?.pid ? this.fleet.memberOf(caught.pid) : undefined;
    if (seen && members.includes(seen)) return [seen];
    return at && caught ? members : members.slice(replica % Math.max(1, members.length)).slice(0, 1);
  }

  private readonly kill: Strike = async (_, members) => {
    for (const member of members) this.fleet.signal(member, 'SIGKILL');
  };
  private readonly stop: Strike = (_, members) => this.freeze(members, this.stopMs);
  private readonly pause: Strike = ({ downMs }, members) => this.freeze(members, downMs);
  private readonly leave: Strike = async (_, members) => {
    await Promise.all(members.map((member) => this.fleet.leave(member)));
  };

  private readonly strikes: Record<Weapon, Strike> = {
    'kill sending': this.kill,
    'stop sending': this.stop,
    'pause sending': this.pause,
    'leave sending': this.leave,
    'kill gateway': this.kill,
    'pause gateway': this.pause,
    'leave gateway': this.leave,
    'kill contacts': this.kill,
    'stop contacts': this.stop,
    'kill analytics': this.kill,
    'stop analytics': this.stop,
    // The trap's own lock is what stalls; a blind one has nothing to hold.
    'stall postgres': ({ at }) => delay(at ? stallMs : 0),
    'crash postgres': ({ downMs }) => this.ground.crashPostgres(downMs),
    'kill nats': ({ downMs }) => this.ground.killNats(downMs, { wipe: false }),
    'wipe nats': ({ downMs }) => this.ground.killNats(downMs, { wipe: true }),
    'kill smtp': ({ downMs }) => this.ground.killSink(downMs),
    'refuse smtp': ({ downMs }) => this.ground.refuseAtSink(downMs),
  };

  private async freeze(members: readonly Member[], ms: number): Promise<void> {
    for (const member of members) this.fleet.signal(member, 'SIGSTOP');
    await delay(ms / 2);
    await this.noteDoubt();
    await delay(ms / 2);
    await this.noteDoubt();
    for (const member of members) this.fleet.signal(member, 'SIGCONT');
  }
}
