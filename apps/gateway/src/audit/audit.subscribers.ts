import { Controller } from '@nestjs/common';
import { OnEachEvent, type DomainEvent } from '@posthorn/messaging';
import type { Action } from './audit-entries.repository.js';
import { Audit } from './audit.js';
import { actionOf, auditedContracts, auditedEvents } from './audited-events.js';

/** The inbox row of an event and its entries commit together: each deed is written down once, however often it is told. */
@Controller()
export class AuditSubscribers {
  constructor(private readonly audit: Audit) {}

  @OnEachEvent(auditedContracts, 'audit')
  async onChange({ projectId, items, origins }: DomainEvent<object>): Promise<void> {
    const actions = items.flatMap((item, index): Action[] => {
      const { event: event, at, actor, address = null } = origins[index]!;
      // What a service does by itself is nobody's deed.
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
