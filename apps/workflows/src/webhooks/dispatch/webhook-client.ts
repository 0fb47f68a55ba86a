import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DatabaseClock } from '@posthorn/database';
import { OutboundClient } from '@posthorn/outbound';
import { outboundRulesOf, WorkflowsConfig } from '../../config.js';

/** The only way out of this service. Closed after the dispatch has ended. */
@Injectable()
export class WebhookClient extends OutboundClient implements OnApplicationShutdown {
  constructor(
    config: WorkflowsConfig,
    private readonly clock: DatabaseClock,
  ) {
    super({ rules: outboundRulesOf(config) });
  }

  /** For `webhook-timestamp`: receivers refuse what is minutes off, and the clock of a process may be (docs/guarantees.md G22). */
  now(): Promise<Date> {
    return this.clock.now();
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}
