import { Controller } from '@nestjs/common';
import { providerEvents, type RecordedProviderEvents, type RecordProviderEvents } from '@posthorn/contracts';
import { answerEach, Handles, type Incoming } from '@posthorn/messaging';
import { ProviderEventsService } from './provider-events.service.js';

@Controller()
export class ProviderEventsHandlers {
  constructor(private readonly service: ProviderEventsService) {}

  @Handles(providerEvents.record)
  record(calls: Incoming<RecordProviderEvents>[]): Promise<(RecordedProviderEvents | Error)[]> {
    return answerEach(calls, ({ body }) => this.service.record(body));
  }
}
