import { Injectable } from '@nestjs/common';
import { WakeUps } from '@posthorn/messaging';

/** Wakes the workers of all processes when there is mail; every worker also looks by itself from time to time. */
@Injectable()
export class DeliveryBell {
  constructor(private readonly wakeUps: WakeUps) {}

  ring(): void {
    this.wakeUps.send('deliveries');
  }

  onRing(wake: () => void): void {
    this.wakeUps.on('deliveries', wake);
  }
}
