import { Injectable } from '@nestjs/common';
import { eraseIn, type EraseAddress, type ErasedAddress } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import {
  addressesIn,
  anyOf,
  EventErasure,
  withoutAddresses,
  Handles,
  type Incoming,
} from '@posthorn/messaging';
import { ExecutionErasure } from '../executions/execution-erasure.js';
import { GraphsRepository, type GraphPart } from '../graphs/graphs.repository.js';
import { WebhookErasure } from '../webhooks/erasing/webhook-erasure.js';

const parts: readonly GraphPart[] = ['steps', 'transitions'];

@Injectable()
export class ErasuresService {
  constructor(
    private readonly database: Database,
    private readonly graphs: GraphsRepository,
    private readonly webhooks: WebhookErasure,
    private readonly executions: ExecutionErasure,
    private readonly events: EventErasure,
  ) {}

  @Handles(eraseIn.workflows)
  async erase({ caller: { projectId }, body: person }: Incoming<EraseAddress>): Promise<ErasedAddress> {
    const [pattern, addresses] = [anyOf([person.email]), addressesIn([person.email])];
    for (const part of parts)
      await this.database.transaction(async () => {
        const containing = await this.graphs.lockContaining(part, projectId, pattern);
        const rewritten = containing.map((row) => ({
          ...row,
          document: withoutAddresses(row.document, addresses),
        }));
        if (rewritten.length > 0) await this.graphs.rewrite(part, projectId, rewritten);
      });
    const noExecutions = await this.executions.erase(projectId, person);
    const noCalls = await this.webhooks.erase(projectId, person);
    return { done: noExecutions && noCalls && (await this.events.erase({ ...person, projectId })) };
  }
}
