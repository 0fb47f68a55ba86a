import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { OutboundClient } from '@posthorn/outbound';
import { outboundRulesOf, WorkflowsConfig } from '../../config.js';

/** The only way out of this service. Closed after the turns have ended. */
@Injectable()
export class WebhookClient extends OutboundClient implements OnApplicationShutdown {
  constructor(config: WorkflowsConfig) {
    super({ rules: outboundRulesOf(config) });
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}
