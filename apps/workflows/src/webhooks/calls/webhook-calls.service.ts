import { Injectable } from '@nestjs/common';
import {
  invalidMember,
  replayRangeReversed,
  webhookCallNotFound,
  webhookNotActive,
  webhookNotFound,
  webhooks,
  type ListWebhookCalls,
  type ReplayedCalls,
  type ReplayRangeOf,
  type WebhookCall,
  type WebhookCallId,
  type WebhookCallPage,
  type WebhookId,
} from '@posthorn/contracts';
import { pageWithTotal } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { SubscriptionCalls } from '../dispatch/call-owners.js';
import { WebhookEndpoints } from '../dispatch/webhook-endpoints.js';
import { SigningSecrets } from '../secrets/signing-secrets.js';
import { WebhooksRepository } from '../webhooks.repository.js';
import { maxReplayed, WebhookCallsRepository } from './webhook-calls.repository.js';

const tooManyReplayed = () =>
  invalidMember(['from'], 'out_of_range', `covers more than ${maxReplayed} calls: replay shorter ranges`);

@Injectable()
export class WebhookCallsService {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly calls: WebhookCallsRepository,
    private readonly endpoints: WebhookEndpoints,
    private readonly signing: SigningSecrets,
    private readonly subscriptions: SubscriptionCalls,
    private readonly commits: Commits,
  ) {}

  @Handles(webhooks.calls)
  async list({ caller: { projectId }, body: query }: Incoming<ListWebhookCalls>): Promise<WebhookCallPage> {
    await this.webhooks.findOrFail(projectId, query.id);
    return pageWithTotal(query, this.calls.page(projectId, query), () =>
      this.calls.total(projectId, query.id),
    );
  }

  @Handles(webhooks.replay)
  async replay({ caller: { projectId }, body, deadline }: Incoming<WebhookCallId>): Promise<WebhookCall> {
    await this.commits.before(deadline, async () => {
      await this.lockActive(projectId, body.id, webhookCallNotFound);
      if (!(await this.calls.replay(projectId, body.id, body.callId))) throw webhookCallNotFound();
      await this.endpoints.dispatch({ projectId, id: body.id });
    });
    return this.calls.one(projectId, body.id, body.callId);
  }

  @Handles(webhooks.replayRange)
  replayRange({ caller, body, deadline }: Incoming<ReplayRangeOf>): Promise<ReplayedCalls> {
    const { projectId } = caller;
    if (body.to < body.from) throw replayRangeReversed();
    return this.commits.before(deadline, async () => {
      await this.lockActive(projectId, body.id);
      const replayed = await this.calls.replayRange(projectId, body.id, body);
      if (replayed === 'too many') throw tooManyReplayed();
      await this.endpoints.dispatch({ projectId, id: body.id });
      return { replayed };
    });
  }

  /** Also of a webhook that is paused or disabled: it shows whether it may be set to ACTIVE again. */
  @Handles(webhooks.test)
  async test({ caller: { projectId }, body, deadline }: Incoming<WebhookId>): Promise<WebhookCall> {
    const { id, url } = await this.webhooks.findOrFail(projectId, body.id);
    const keys = await this.signing.of(projectId, id);
    const { attempt, body: sent } = await this.subscriptions.sendTest(url, keys);
    await this.commits.before(deadline, () => this.calls.addTest(projectId, id, attempt, sent));
    return this.calls.one(projectId, id, attempt.call.id);
  }

  private async lockActive(projectId: string, id: string, missing = webhookNotFound): Promise<void> {
    const webhook = await this.webhooks.lock(projectId, id);
    if (!webhook) throw missing();
    if (!webhook.isActive) throw webhookNotActive();
  }
}
