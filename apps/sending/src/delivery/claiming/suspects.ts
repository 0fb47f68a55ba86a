import type { ClaimedDelivery, SuspectOptions } from './claims.repository.js';
import { suspectsAtOnce } from './claim-limits.js';
import { largeMessage } from './bytes-in-memory.js';

type Suspect = Pick<ClaimedDelivery, 'claims' | 'bytes'>;

// After the first time a few are claimed together, after the second each one alone: so a killed process
// delays its messages little, and it is known which message ends a process again.
export class Suspects {
  private readonly tracked = new Set<Suspect>();

  get room(): Pick<SuspectOptions, 'limit' | 'alone'> | null {
    const { size } = this.tracked;
    return this.hasRoom ? { limit: suspectsAtOnce - size, alone: size === 0 } : null;
  }

  add(messages: readonly Suspect[]): void {
    for (const message of messages) this.tracked.add(message);
  }

  remove(messages: readonly Suspect[]): boolean {
    const removed = messages.filter((message) => this.tracked.delete(message));
    return removed.length > 0 && this.hasRoom;
  }

  private get hasRoom(): boolean {
    // `claims` includes the current claim: 2 means that one process has died.
    const mayBeTogether = ({ claims, bytes }: Suspect) => claims <= 2 && bytes <= largeMessage;
    return this.tracked.size <= suspectsAtOnce / 2 && [...this.tracked].every(mayBeTogether);
  }
}
