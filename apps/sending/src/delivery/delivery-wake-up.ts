import { Injectable } from '@nestjs/common';
import { WakeUps } from '@posthorn/messaging';

/** Wakes the workers of all processes. Best effort: workers also check the queue periodically. */
@Injectable()
export class DeliveryWakeUp {
  constructor(private readonly wakeUps: WakeUps) {}

  wake(): void {
    this.wakeUps.send('deliveries');
  }

  onWakeUp(wake: () => void): void {
    this.wakeUps.on('deliveries', wake);
  }
}
