import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ServiceName } from '@posthorn/contracts';
import { stallMs, states, type Fault, type State, type Weapon } from './faults.js';
import type { Fleet, Member } from './fleet.js';
import type { Ground } from './ground.js';
import type { Caught } from './lock-trap.js';
import { aimed, nth, seenMember, strikesOf, type Strikes } from './strikes.js';
import type { Traps } from './traps.js';
import type { Books } from './books.js';

const patienceMs = 2_500;

export interface StrikeMade {
  weapon: Weapon;
  from: number;
  to: number;
}

/** What may leave a message in doubt. A pause is shorter than a lease, and a leaving process finishes what it has. */
const repeats: ReadonlySet<Weapon> = new Set([
  'kill sending',
  'stop sending',
  'crash postgres',
  'stall postgres',
  'kill smtp',
  'refuse smtp',
]);

/** Carries the deck out, and writes down which state each fault really hit. */
export class Nemesis {
  readonly hits = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>;
  readonly struck = new Map<Weapon, number>();
  /** By e-mail: how many faults found it in hand-off. Each of them may cost one repeat, and nothing else may (guarantees.md G4). */
  readonly doubted = new Map<string, number>();
  /** When which weapon struck, until all was back. */
  readonly strikesMade: StrikeMade[] = [];
  missed = 0;
  private readonly strikes: Strikes;

  constructor(
    private readonly fleet: Fleet,
    ground: Ground,
    private readonly traps: Traps,
    private readonly books: Books,
    private readonly options: { directory: string; leaseSeconds: number },
  ) {
    this.strikes = strikesOf(fleet, ground, options.leaseSeconds * 1_000 + 1_500);
  }

  async strike(fault: Fault): Promise<void> {
    const caught = fault.at ? await this.aim(fault, fault.at) : await this.act(fault, this.victims(fault, null)).then(() => true);
    if (caught) this.struck.set(fault.weapon, (this.struck.get(fault.weapon) ?? 0) + 1);
    else this.missed += 1;
    appendFileSync(join(this.options.directory, 'faults.jsonl'), `${JSON.stringify({ instant: performance.now(), ...fault, caught })}\n`);
    if (fault.recovers) await this.fleet.untilAllReady();
  }

  private async aim(fault: Fault, state: State): Promise<boolean> {
    const holdMs = fault.weapon === 'stall postgres' ? stallMs : undefined;
    const caught = await aimed(
      (strike) => this.traps.at(state, patienceMs, strike),
      (seen) => this.act(fault, this.victims(fault, seen)),
      holdMs,
    );
    if (caught) this.hits[state] += 1;
    return caught;
  }

  private async act(fault: Fault, members: readonly Member[]): Promise<void> {
    const made: StrikeMade = { weapon: fault.weapon, from: performance.now(), to: Infinity };
    this.strikesMade.push(made);
    const struck = this.strikes[fault.weapon](fault, members);
    const found = new Set<string>();
    const look = async () => {
      for (const id of await this.books.inHandOff().catch(() => [])) found.add(id);
    };
    if (repeats.has(fault.weapon)) await look();
    await struck;
    // A database that was away can be asked only now.
    if (fault.weapon === 'crash postgres') await look();
    for (const id of found) this.doubted.set(id, (this.doubted.get(id) ?? 0) + 1);
    made.to = performance.now();
  }

  /** The very process that was seen; all of them where the state does not tell whose it was. */
  private victims({ weapon, replica, at }: Fault, caught: Caught | null): readonly Member[] {
    const members = this.fleet.names(weapon.split(' ')[1] as ServiceName);
    return seenMember(this.fleet, members, caught) ?? (at && caught ? members : nth(members, replica));
  }
}
