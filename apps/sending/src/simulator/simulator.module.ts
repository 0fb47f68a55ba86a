import { Module } from '@nestjs/common';
import { ProviderEventsModule } from '../provider-events/provider-events.module.js';
import { SimulatedEventsWork } from './simulated-events.work.js';
import { Simulator } from './simulator.js';

@Module({
  imports: [ProviderEventsModule],
  providers: [Simulator, SimulatedEventsWork],
  exports: [Simulator],
})
export class SimulatorModule {}
