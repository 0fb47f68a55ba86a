import { Injectable } from '@nestjs/common';
import { WakeUps } from '@posthorn/messaging';

/** Wakes the workers of all processes when there is mail; every worker also looks by itself from time to time. */
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
