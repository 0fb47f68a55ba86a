import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ServiceName } from '@posthorn/contracts';
import type { Fleet, Member } from '../fleet.js';
import type { Ground } from '../ground.js';
import { heldAt, watching, type Caught } from '../lock-trap.js';
import { leaseSeconds } from '../product.js';
import { aimed, nth, seenMember, strikesOf, type Strikes } from '../strikes.js';
import { audienceStates, stateLocks, type AudienceFault, type AudienceState } from './faults.js';

const patienceMs = 3_000;

/** Carries the deck out: waits in Postgres for the state, strikes who is in it, and writes down what was hit. */
export class AudienceNemesis {
  readonly hits = Object.fromEntries(audienceStates.map((state) => [state, 0])) as Record<AudienceState, number>;
  readonly struck = new Map<string, number>();
  missed = 0;
  private readonly strikes: Strikes;

  constructor(
    private readonly fleet: Fleet,
    ground: Ground,
    private readonly contactsUrl: () => string,
    private readonly directory: string,
  ) {
    this.strikes = strikesOf(fleet, ground, leaseSeconds * 1_000 + 1_500);
  }

  async strike(fault: AudienceFault): Promise<void> {
    const { at, weapon } = fault;
    const hit = at
      ? await aimed(
          (strike) => heldAt(() => watching(this.contactsUrl()), stateLocks[at], patienceMs, strike),
          (caught) => this.act(fault, caught),
        )
      : await this.act(fault, null).then(() => true);
    if (hit && at) this.hits[at] += 1;
    if (hit) this.struck.set(weapon, (this.struck.get(weapon) ?? 0) + 1);
    else this.missed += 1;
    appendFileSync(join(this.directory, 'faults.jsonl'), `${JSON.stringify({ instant: performance.now(), ...fault, hit })}\n`);
    if (fault.recovers) await this.fleet.untilAllReady();
  }

  private act(fault: AudienceFault, caught: Caught | null): Promise<void> {
    const members: readonly Member[] = this.fleet.names(fault.weapon.split(' ')[1] as ServiceName);
    return this.strikes[fault.weapon](fault, seenMember(this.fleet, members, caught) ?? nth(members, fault.replica));
  }
}
