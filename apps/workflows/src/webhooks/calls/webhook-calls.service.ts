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
} from '@posthorn/contracts';
import { pageWithTotal } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { WebhookEndpoints } from '../dispatch/webhook-endpoints.js';
import { WebhooksRepository } from '../webhooks.repository.js';
import { CallPages } from './call-pages.read-model.js';
import { maxReplayed, ReplaysRepository } from './replays.repository.js';

const tooManyReplayed = () =>
  invalidMember(['from'], 'out_of_range', `covers more than ${maxReplayed} calls: replay shorter ranges`);

@Injectable()
export class WebhookCallsService {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly pages: CallPages,
    private readonly replays: ReplaysRepository,
    private readonly endpoints: WebhookEndpoints,
    private readonly commits: Commits,
  ) {}

  @Handles(webhooks.calls)
  async list({ caller: { projectId }, body: query }: Incoming<ListWebhookCalls>): Promise<WebhookCallPage> {
    await this.webhooks.findOrFail(projectId, query.id);
    return pageWithTotal(query, this.pages.page(projectId, query), () =>
      this.pages.total(projectId, query.id),
    );
  }

  @Handles(webhooks.replay)
  async replay({ caller: { projectId }, body, deadline }: Incoming<WebhookCallId>): Promise<WebhookCall> {
    await this.commits.before(deadline, async () => {
      await this.lockActive(projectId, body.id, webhookCallNotFound);
      if (!(await this.replays.replay(projectId, body.id, body.callId))) throw webhookCallNotFound();
      await this.endpoints.takeTurn({ projectId, id: body.id });
    });
    return this.pages.one(projectId, body.id, body.callId);
  }

  @Handles(webhooks.replayRange)
  replayRange({ caller, body, deadline }: Incoming<ReplayRangeOf>): Promise<ReplayedCalls> {
    const { projectId } = caller;
    if (body.to < body.from) throw replayRangeReversed();
    return this.commits.before(deadline, async () => {
      await this.lockActive(projectId, body.id);
      const replayed = await this.replays.replayRange(projectId, body.id, body);
      if (replayed === 'too many') throw tooManyReplayed();
      await this.endpoints.takeTurn({ projectId, id: body.id });
      return { replayed };
    });
  }

  private async lockActive(projectId: string, id: string, missing = webhookNotFound): Promise<void> {
    const webhook = await this.webhooks.lock(projectId, id);
    if (!webhook) throw missing();
    if (!webhook.isActive) throw webhookNotActive();
  }
}
