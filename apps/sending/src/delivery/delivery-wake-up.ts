import { Injectable } from '@nestjs/common';
import { WakeUps } from '@posthorn/messaging';

/** After a commit of several sends others are likely to wait for the next one. */
const pressureMs = 200;

/** Wakes the workers of all processes. Best effort: workers also check the queue periodically. */
@Injectable()
export class DeliveryWakeUp {
  private pressureEnds = -Infinity;
  /** When this process last stored bulk mail. */
  bulkStoredAt = -Infinity;

  constructor(private readonly wakeUps: WakeUps) {}

  /** Sends wait for each other's commits in this process, so delivery takes larger and rarer steps. */
  get acceptsWait(): boolean {
    return performance.now() < this.pressureEnds;
  }

  /** `gathered` sends of different requests were accepted together. */
  wake(gathered = 1): void {
    if (gathered > 1) this.pressureEnds = performance.now() + pressureMs;
    this.wakeUps.send('deliveries');
  }

  /** Before `wake`. */
  bulkStored(): void {
    this.bulkStoredAt = performance.now();
  }

  onWakeUp(wake: () => void): void {
    this.wakeUps.on('deliveries', wake);
  }
}
