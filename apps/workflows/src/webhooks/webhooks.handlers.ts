import { Controller } from '@nestjs/common';
import {
  webhooks,
  type CreateWebhook,
  type DeletedWebhook,
  type ListWebhookCalls,
  type ListWebhooks,
  type ReplayedCalls,
  type ReplayRangeOf,
  type UpdateWebhookById,
  type Webhook,
  type WebhookCall,
  type WebhookCallId,
  type WebhookCallPage,
  type WebhookId,
  type WebhookPage,
  type WebhookWithSecret,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { TestCallsService } from './calls/test-calls.service.js';
import { WebhookCallsService } from './calls/webhook-calls.service.js';
import { WebhooksService } from './webhooks.service.js';

@Controller()
export class WebhooksHandlers {
  constructor(
    private readonly service: WebhooksService,
    private readonly calls: WebhookCallsService,
    private readonly tests: TestCallsService,
  ) {}

  @Handles(webhooks.create)
  create(call: Incoming<CreateWebhook>): Promise<WebhookWithSecret> {
    return this.service.create(call);
  }

  @Handles(webhooks.get)
  get({ caller, body }: Incoming<WebhookId>): Promise<Webhook> {
    return this.service.get(caller.projectId, body.id);
  }

  @Handles(webhooks.list)
  list({ caller, body }: Incoming<ListWebhooks>): Promise<WebhookPage> {
    return this.service.list(caller.projectId, body);
  }

  @Handles(webhooks.update)
  update(call: Incoming<UpdateWebhookById>): Promise<Webhook> {
    return this.service.update(call);
  }

  @Handles(webhooks.delete)
  delete(call: Incoming<WebhookId>): Promise<DeletedWebhook> {
    return this.service.delete(call);
  }

  @Handles(webhooks.rotateSecret)
  rotateSecret(call: Incoming<WebhookId>): Promise<WebhookWithSecret> {
    return this.service.rotateSecret(call);
  }

  @Handles(webhooks.test)
  test(call: Incoming<WebhookId>): Promise<WebhookCall> {
    return this.tests.make(call);
  }

  @Handles(webhooks.calls)
  listCalls({ caller, body }: Incoming<ListWebhookCalls>): Promise<WebhookCallPage> {
    return this.calls.list(caller.projectId, body);
  }

  @Handles(webhooks.replay)
  replay(call: Incoming<WebhookCallId>): Promise<WebhookCall> {
    return this.calls.replay(call);
  }

  @Handles(webhooks.replayRange)
  replayRange(call: Incoming<ReplayRangeOf>): Promise<ReplayedCalls> {
    return this.calls.replayRange(call);
  }
}
