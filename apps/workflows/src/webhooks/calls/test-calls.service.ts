import { Injectable } from '@nestjs/common';
import { testEventType, webhooks, type WebhookCall, type WebhookId } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { SignedRequests } from '../dispatch/signed-requests.js';
import { SigningSecrets } from '../secrets/signing-secrets.js';
import { WebhooksRepository } from '../webhooks.repository.js';
import { CallPages } from './call-pages.read-model.js';
import { TestCallsRepository } from './test-calls.repository.js';
import { bodyOf, type DueWebhookCall } from './webhook-calls.repository.js';

const message = 'A test: the webhook is reached.';

@Injectable()
export class TestCallsService {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly signing: SigningSecrets,
    private readonly requests: SignedRequests,
    private readonly tests: TestCallsRepository,
    private readonly pages: CallPages,
    private readonly commits: Commits,
  ) {}

  /** Also of a webhook that is paused or disabled: it shows whether it may be set to ACTIVE again. */
  @Handles(webhooks.test)
  async make({ caller: { projectId }, body, deadline }: Incoming<WebhookId>): Promise<WebhookCall> {
    const { id, url } = await this.webhooks.findOrFail(projectId, body.id);
    const secrets = await this.signing.of(projectId, id);
    const attempt = await this.requests.send({ url, secrets }, newCall(await this.requests.now()));
    await this.commits.before(deadline, () => this.tests.add(projectId, id, attempt));
    return this.pages.one(projectId, id, attempt.call.id);
  }
}

function newCall(at: Date): DueWebhookCall {
  const eventId = newId();
  const body = bodyOf({ id: eventId, type: testEventType, at, data: { message } });
  return { id: newId(), eventId, body, attempts: 0, retries: 0, claims: 0 };
}
