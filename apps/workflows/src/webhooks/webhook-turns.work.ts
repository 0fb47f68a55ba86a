import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { OutboundClient } from '@posthorn/outbound';
import { WorkRunner, type WorkBatch, type WorkHandler, type WorkItem, WorkQueue } from '@posthorn/work';
import { outcomeOfAttempt } from './attempt-rules.js';
import { CallsRepository, type DueCall, type MadeAttempt } from './calls.repository.js';
import { signatureHeaders } from './webhook-signature.js';
import { webhookTurnWork } from './webhook-kinds.js';
import { WebhooksRepository, type ActiveWebhook } from './webhooks.repository.js';

/** Then another endpoint has its turn. */
const turnMs = 2_000;
const callsPerTurn = 200;
const callsAtOnce = 8;
/** An endpoint that fails gets one call at a time, to see whether it is back. */
const failuresToBreak = 3;
const timeoutMs = 10_000;
const afterDeathMs = 60_000;

/** One endpoint's turn: what is due for it is sent, a few at once, until its time or its share is over (docs/decisions/0031-webhooks.md). */
@Injectable()
export class WebhookTurnsWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhooksRepository,
    private readonly calls: CallsRepository,
    private readonly client: OutboundClient,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(webhookTurnWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const [item] = batch.items as [WorkItem];
    const until = performance.now() + turnMs;
    for (let made = 0; !batch.stopping && made < callsPerTurn && performance.now() < until; ) {
      const webhook = await this.webhooks.active(item.projectId, item.key!);
      if (!webhook) return;
      const due = await this.calls.due(webhook, webhook.failuresInRow >= failuresToBreak ? 1 : callsAtOnce);
      if (due.length === 0) break;
      const attempts = await Promise.all(due.map((call) => this.attempt(webhook, call)));
      await this.database.transaction(async () => {
        await this.calls.record(webhook, attempts);
        await this.webhooks.judge(webhook, attempts);
        await batch.hold(item);
      });
      made += due.length;
    }
    const next = await this.calls.nextDue(item.projectId, item.key!);
    if (next !== null) await batch.postpone([item], next);
  }

  /** What ended its process several times waits, and is then the first of the next turn alone. */
  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.queue.enqueue(webhookTurnWork, [{ projectId, key: key!, delayMs: afterDeathMs }]);
  }

  private async attempt(webhook: ActiveWebhook, call: DueCall): Promise<MadeAttempt> {
    const body = call.body;
    const result = await this.client.send({
      url: webhook.url,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'Posthorn' },
      ownHeaders: signatureHeaders({ id: call.eventId, at: new Date(), body }, webhook.secrets),
      body,
      timeoutMs,
      maxRedirects: 0,
    });
    return { call, result, outcome: outcomeOfAttempt(result, call.attempts + 1) };
  }
}
