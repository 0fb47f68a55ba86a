import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import type { WorkerProcesses } from '../worker-fleet.js';

/** Something that befalls one of two workers: it is killed, stands still for longer than its lease, or is told to leave. */
export class Disturbance {
  constructor(
    private readonly planned: { kind: 'kill' | 'stop' | 'leave'; member: number; afterMs: number },
  ) {}

  async inject(processes: WorkerProcesses, leaseMs: number): Promise<void> {
    const { kind, member, afterMs } = this.planned;
    await delay(afterMs);
    if (kind === 'kill') processes.signal(member, 'SIGKILL');
    else if (kind === 'leave') await processes.leave(member);
    else {
      processes.signal(member, 'SIGSTOP');
      await delay(leaseMs + 500);
      processes.signal(member, 'SIGCONT');
    }
  }
}

export const disturbances = fc.array(
  fc
    .record({
      kind: fc.constantFrom('kill' as const, 'stop' as const, 'leave' as const),
      member: fc.integer({ min: 0, max: 1 }),
      afterMs: fc.integer({ min: 50, max: 1_000 }),
    })
    .map((planned) => new Disturbance(planned)),
  { minLength: 2, maxLength: 3 },
);
