import { Injectable } from '@nestjs/common';
import { WorkQueue } from '@posthorn/work';
import type { WebhookRow } from '../webhook.entity.js';
import { callWork } from '../../work-kinds.js';
import { EndpointsRepository } from './endpoints.repository.js';

/** How the endpoints of subscriptions do; joins the ambient transaction. */
@Injectable()
export class WebhookEndpoints {
  constructor(
    private readonly endpoints: EndpointsRepository,
    private readonly queue: WorkQueue,
  ) {}

  lastSuccesses(projectId: string, rows: readonly WebhookRow[]): Promise<ReadonlyMap<string, Date>> {
    return this.endpoints.lastSuccesses(
      projectId,
      rows.map(({ id }) => id),
    );
  }

  /** It may work now; and where it was stopped, its next turn ends what waits. */
  async changed(row: WebhookRow): Promise<void> {
    await this.endpoints.forgive(row);
    await this.dispatch(row);
  }

  /** Its next turn removes its calls. */
  async removed(row: WebhookRow): Promise<void> {
    await this.endpoints.remove(row);
    await this.dispatch(row);
  }

  async dispatch({ projectId, id: key }: Pick<WebhookRow, 'projectId' | 'id'>): Promise<void> {
    await this.queue.enqueue(callWork, [{ projectId, key, payload: { kind: 'EVENT' } }]);
  }
}
