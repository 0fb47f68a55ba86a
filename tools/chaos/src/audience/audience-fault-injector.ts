import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ServiceName } from '@posthorn/contracts';
import type { ProcessGroup, Member } from '../process-group.js';
import type { Fixture } from '../fixture.js';
import { heldAt, watching, type Caught } from '../faults/lock-trap.js';
import { leaseSeconds } from '../product.js';
import { aimed, nth, seenMember, injectionsOf, type Injections } from '../faults/injections.js';
import { audienceStates, stateLocks, type AudienceFault, type AudienceState } from './faults.js';

const timeoutMs = 3_000;

/** Carries the deck out: waits in Postgres for the state, strikes who is in it, and writes down what was hit. */
export class AudienceFaultInjector {
  readonly hits = Object.fromEntries(audienceStates.map((state) => [state, 0])) as Record<
    AudienceState,
    number
  >;
  readonly injected = new Map<string, number>();
  missed = 0;
  private readonly injections: Injections;

  constructor(
    private readonly processes: ProcessGroup,
    fixture: Fixture,
    private readonly contactsUrl: () => string,
    private readonly directory: string,
  ) {
    this.injections = injectionsOf(processes, fixture, leaseSeconds * 1_000 + 1_500);
  }

  async inject(fault: AudienceFault): Promise<void> {
    const { at, fault: faultKind } = fault;
    const hit = at
      ? await aimed(
          (inject) => heldAt(() => watching(this.contactsUrl()), stateLocks[at], timeoutMs, inject),
          (caught) => this.act(fault, caught),
        )
      : await this.act(fault, null).then(() => true);
    if (hit && at) this.hits[at] += 1;
    if (hit) this.injected.set(faultKind, (this.injected.get(faultKind) ?? 0) + 1);
    else this.missed += 1;
    appendFileSync(
      join(this.directory, 'faults.jsonl'),
      `${JSON.stringify({ instant: performance.now(), ...fault, hit })}\n`,
    );
    if (fault.recovers) await this.processes.untilAllReady();
  }

  private act(fault: AudienceFault, caught: Caught | null): Promise<void> {
    const members: readonly Member[] = this.processes.names(fault.fault.split(' ')[1] as ServiceName);
    return this.injections[fault.fault](
      fault,
      seenMember(this.processes, members, caught) ?? nth(members, fault.replica),
    );
  }
}
