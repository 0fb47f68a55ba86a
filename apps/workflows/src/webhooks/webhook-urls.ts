import { Injectable } from '@nestjs/common';
import { webhookUrlRefused } from '@posthorn/contracts';
import { outboundRefusals, RefusedTarget, targetOf } from '@posthorn/outbound';
import { outboundRulesOf, WorkflowsConfig } from '../config.js';

@Injectable()
export class WebhookUrls {
  constructor(private readonly config: WorkflowsConfig) {}

  /** What a name resolves to may change, so that is checked when it is called. */
  refuseUnusable(url: string): void {
    try {
      targetOf(url, outboundRulesOf(this.config));
    } catch (error) {
      throw error instanceof RefusedTarget ? webhookUrlRefused(outboundRefusals[error.refusal]) : error;
    }
  }
}
