import { Module } from '@nestjs/common';
import { DeliveryWakeUp } from './delivery-wake-up.js';

@Module({
  providers: [DeliveryWakeUp],
  exports: [DeliveryWakeUp],
})
export class DeliveryWakeUpModule {}
