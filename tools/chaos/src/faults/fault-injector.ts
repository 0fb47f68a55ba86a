import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@posthorn/contracts';
import { stallMs, states, type Fault, type State, type FaultKind } from './faults.js';
import type { ProcessGroup, Member } from '../process-group.js';
import type { Fixture } from '../fixture.js';
import type { Caught } from './lock-trap.js';
import { aimed, nth, seenMember, injectionsOf, type Injections } from './injections.js';
import type { Traps } from './traps.js';
import type { Records } from '../judging/records.js';

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

/** Carries the deck out, and writes down which state each fault really hit. */
export class FaultInjector {
  readonly hits = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>;
  readonly injected = new Map<FaultKind, number>();
  /** By e-mail: how many faults found it in hand-off. Each of them may cost one repeat, and nothing else may (docs/guarantees.md G4). */
  readonly suspected = new Map<string, number>();
  /** When which weapon struck, until all was back. */
  readonly injectedFaults: InjectedFault[] = [];
  missed = 0;
  private readonly injections: Injections;

  constructor(
    private readonly processes: ProcessGroup,
    fixture: Fixture,
    private readonly traps: Traps,
    private readonly records: Records,
    private readonly options: { directory: string; leaseSeconds: number },
  ) {
    this.injections = injectionsOf(processes, fixture, options.leaseSeconds * 1_000 + 1_500);
  }

  async inject(fault: Fault): Promise<void> {
    const caught = fault.at
      ? await this.aim(fault, fault.at)
      : await this.act(fault, this.victims(fault, null)).then(() => true);
    if (caught) this.injected.set(fault.fault, (this.injected.get(fault.fault) ?? 0) + 1);
    else this.missed += 1;
    appendFileSync(
      join(this.options.directory, 'faults.jsonl'),
      `${JSON.stringify({ instant: performance.now(), ...fault, caught })}\n`,
    );
    if (fault.recovers) await this.processes.untilAllReady();
  }

  private async aim(fault: Fault, state: State): Promise<boolean> {
    const holdMs = fault.fault === 'stall postgres' ? stallMs : undefined;
    const caught = await aimed(
      (inject) => this.traps.at(state, timeoutMs, inject),
      (seen) => this.act(fault, this.victims(fault, seen)),
      holdMs,
    );
    if (caught) this.hits[state] += 1;
    return caught;
  }

  private async act(fault: Fault, members: readonly Member[]): Promise<void> {
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

  /** The very process that was seen; all of them where the state does not tell whose it was. */
  private victims({ fault: method, replica, at }: Fault, caught: Caught | null): readonly Member[] {
    const members = this.processes.names(method.split(' ')[1] as ServiceName);
    return seenMember(this.processes, members, caught) ?? (at && caught ? members : nth(members, replica));
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
