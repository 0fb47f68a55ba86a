import { Injectable } from '@nestjs/common';

/** Wakes the worker of this process when there is mail; every worker also looks by itself each second. */
@Injectable()
export class DeliveryBell {
  private wake: () => void = () => undefined;

  ring(): void {
    this.wake();
  }

  onRing(wake: () => void): void {
    this.wake = wake;
  }
}
