import { Injectable } from '@nestjs/common';
import {
  webhookUrlRefused,
  maxWebhooks,
  mayNotHearOfPending,
  tooManyWebhooks,
  webhookEvents,
  webhooks,
  type CreateWebhookBy,
  type DeletedWebhook,
  type ListWebhooks,
  type UpdateWebhookById,
  type Webhook,
  type WebhookId,
  type WebhookPage,
  type WebhookWithSecret,
} from '@posthorn/contracts';
import { newId, pageWithTotal } from '@posthorn/database';
import { Outbox, Handles, type Incoming } from '@posthorn/messaging';
import { outboundRefusals, RefusedTarget, targetOf } from '@posthorn/outbound';
import { Commits } from '@posthorn/platform';
import { outboundRulesOf, WorkflowsConfig } from '../config.js';
import { WebhookEndpoints } from './dispatch/webhook-endpoints.js';
import { SigningSecrets } from './secrets/signing-secrets.js';
import { WebhookRow } from './webhook.entity.js';
import { WebhooksRepository } from './webhooks.repository.js';

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

@Injectable()
export class WebhooksService {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly urls: WebhookUrls,
    private readonly signing: SigningSecrets,
    private readonly endpoints: WebhookEndpoints,
    private readonly commits: Commits,
    private readonly outbox: Outbox,
  ) {}

  @Handles(webhooks.create)
  create({ caller: { projectId }, body, deadline }: Incoming<CreateWebhookBy>): Promise<WebhookWithSecret> {
    if (body.eventTypes.includes('list.pending') && !body.mayConfirm) throw mayNotHearOfPending();
    this.urls.refuseUnusable(body.url);
    const { url, description = null, eventTypes } = body;
    const draft = Object.assign(new WebhookRow(), {
      projectId,
      id: newId(),
      url,
      description,
      eventTypes: [...new Set(eventTypes)],
      status: 'ACTIVE',
      disabledReason: null,
      generation: 1,
    });
    return this.commits.before(deadline, async () => {
      const row = await this.webhooks.add(draft);
      // Counted under the lock of the row that was just counted in.
      if ((await this.webhooks.total(projectId)) > maxWebhooks) throw tooManyWebhooks();
      await this.outbox.publish(webhookEvents.changed, projectId, [row.toEvent()]);
      return { ...row.toWebhook(null), secret: await this.signing.add(projectId, row.id) };
    });
  }

  @Handles(webhooks.get)
  async get({ caller: { projectId }, body: { id } }: Incoming<WebhookId>): Promise<Webhook> {
    return this.shown(await this.webhooks.findOrFail(projectId, id));
  }

  @Handles(webhooks.list)
  async list({ caller: { projectId }, body: query }: Incoming<ListWebhooks>): Promise<WebhookPage> {
    const page = await pageWithTotal(query, this.webhooks.list(projectId, query), () =>
      this.webhooks.total(projectId),
    );
    const successes = await this.endpoints.lastSuccesses(projectId, page.items);
    return { ...page, items: page.items.map((row) => row.toWebhook(successes.get(row.id) ?? null)) };
  }

  @Handles(webhooks.update)
  async update({ caller, body, deadline }: Incoming<UpdateWebhookById>): Promise<Webhook> {
    const { id, mayConfirm = false, ...changes } = body;
    if (changes.url !== undefined) this.urls.refuseUnusable(changes.url);
    const row = await this.commits.before(deadline, async () => {
      const locked = await this.webhooks.lockOrFail(caller.projectId, id);
      const before = { url: locked.url, hasPending: locked.eventTypes.includes('list.pending') };
      locked.change(changes);
      const isNew = !before.hasPending || locked.url !== before.url;
      if (locked.eventTypes.includes('list.pending') && isNew && !mayConfirm) throw mayNotHearOfPending();
      const saved = await this.webhooks.save(locked);
      if (changes.url !== undefined || changes.status !== undefined) await this.endpoints.changed(saved);
      await this.outbox.publish(webhookEvents.changed, caller.projectId, [saved.toEvent()]);
      return saved;
    });
    return this.shown(row);
  }

  @Handles(webhooks.delete)
  async delete({ caller, body, deadline }: Incoming<WebhookId>): Promise<DeletedWebhook> {
    await this.commits.before(deadline, async () => {
      const row = await this.webhooks.lockOrFail(caller.projectId, body.id);
      const at = await this.webhooks.remove(row);
      await this.endpoints.removed(row);
      await this.signing.remove(row.projectId, row.id);
      await this.outbox.publish(webhookEvents.deleted, caller.projectId, [row.toDeletedEvent(at)]);
    });
    return { id: body.id };
  }

  @Handles(webhooks.rotateSecret)
  rotateSecret({ caller, body, deadline }: Incoming<WebhookId>): Promise<WebhookWithSecret> {
    return this.commits.before(deadline, async () => {
      const row = await this.webhooks.save(await this.webhooks.lockOrFail(caller.projectId, body.id));
      const secret = await this.signing.replace(row.projectId, row.id);
      await this.outbox.publish(webhookEvents.secretRotated, row.projectId, [
        row.toDeletedEvent(row.updatedAt),
      ]);
      return { ...(await this.shown(row)), secret };
    });
  }

  private async shown(row: WebhookRow): Promise<Webhook> {
    const successes = await this.endpoints.lastSuccesses(row.projectId, [row]);
    return row.toWebhook(successes.get(row.id) ?? null);
  }
}
