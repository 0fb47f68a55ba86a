import { Injectable } from '@nestjs/common';
import { OnEachEvent, type DomainEvent } from '@posthorn/messaging';
import type { Action } from './audit-entries.repository.js';
import { Audit } from './audit.js';
import { actionOf, auditedContracts, auditedEvents } from './audited-events.js';

/** The inbox row and the entries are committed together, so a redelivered event is logged once. */
@Injectable()
export class AuditSubscribers {
  constructor(private readonly audit: Audit) {}

  @OnEachEvent(auditedContracts, 'audit')
  async onChange({ projectId, items, origins }: DomainEvent<object>): Promise<void> {
    const actions = items.flatMap((item, index): Action[] => {
      const { event, at, actor, ipAddress: address = null } = origins[index]!;
      // Changes that a service makes on its own have no actor to log.
      if (!actor || actor.kind === 'SERVICE') return [];
      const { contract, type, idOf } = auditedEvents.get(event)!;
      return [
        {
          at,
          actor,
          address,
          action: actionOf(contract),
          resource: { type, id: idOf(item) },
          outcome: 'SUCCEEDED',
        },
      ];
    });
    await this.audit.learn(projectId, actions);
  }
}
