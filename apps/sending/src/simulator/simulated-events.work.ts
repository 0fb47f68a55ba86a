import { Injectable } from '@nestjs/common';
import type { ProviderEvent } from '@posthorn/contracts';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { ProviderEventsService } from '../provider-events/provider-events.service.js';
import { simulatedEventWork } from './simulated-event-kind.js';

/** The intake counts an event once, so that it may be reported again after a crash. */
@Injectable()
export class SimulatedEventsWork implements WorkHandler<ProviderEvent> {
  constructor(
    private readonly events: ProviderEventsService,
    runner: WorkRunner,
  ) {
    runner.register(simulatedEventWork, this);
  }

  async run({ items }: WorkBatch<ProviderEvent>): Promise<void> {
    await this.events.record({ items: items.map(({ payload }) => payload) });
  }
}
