import { Injectable } from '@nestjs/common';
import { WakeUps } from '@posthorn/messaging';

/** After a commit of several sends others are likely to wait for the next one. */
const pressureMs = 200;

/** Wakes the workers of all processes. Best effort: workers also check the queue periodically. */
@Injectable()
export class DeliveryWakeUp {
  private pressureEnds = -Infinity;
  /** When this process last stored, or released, what may be bulk mail. */
  bulkStoredAt = -Infinity;

  constructor(private readonly wakeUps: WakeUps) {}

  /** Sends wait for each other's commits in this process, so delivery takes larger and rarer steps. */
  get acceptsWait(): boolean {
    return performance.now() < this.pressureEnds;
  }

  /** `sends` of different requests were accepted together; `mayBeBulk` is false where all of it is transactional. */
  wake({ sends = 1, mayBeBulk = true } = {}): void {
    if (sends > 1) this.pressureEnds = performance.now() + pressureMs;
    if (mayBeBulk) this.bulkStoredAt = performance.now();
    this.wakeUps.send('deliveries');
  }

  onWakeUp(wake: () => void): void {
    this.wakeUps.on('deliveries', wake);
  }
}
