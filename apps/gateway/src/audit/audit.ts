import { Injectable } from '@nestjs/common';
import type { AuditEntry, AuditOutcome, IdentityAction, ListAuditEntries } from '@posthorn/contracts';
import { totalCap, type Page } from '@posthorn/database';
import { actingCaller, OnEachEvent, type Concerns, type DomainEvent } from '@posthorn/messaging';
import { AuditEntriesRepository, type Action } from './audit-entries.repository.js';
import { actionOf, auditedContracts, auditedEvents } from './audited-events.js';

interface AuditPage extends Page<AuditEntry> {
  total?: number;
  totalIsCapped?: boolean;
}

/** Changes that a service makes on its own have no actor to log. */
const hasActor: Concerns = (_, { actor }) => actor !== undefined && actor.kind !== 'SERVICE';

@Injectable()
export class Audit {
  constructor(private readonly entries: AuditEntriesRepository) {}

  /** Joins the transaction of the change. The actor is the acting caller; the resource type is the noun of the action. */
  async record(
    projectId: string,
    action: IdentityAction,
    resourceId: string,
    outcome: AuditOutcome = 'SUCCEEDED',
  ): Promise<void> {
    const { actor, ipAddress: address = null } = actingCaller() ?? {
      actor: { kind: 'SERVICE', id: 'gateway' },
    };
    const resource = { type: action.split('.')[0]!, id: resourceId };
    await this.entries.insert(projectId, [{ at: null, actor, address, action, resource, outcome }]);
  }

  /** The inbox row and the entries are committed together, so a redelivered event is logged once. */
  @OnEachEvent(auditedContracts, 'audit', { concerns: hasActor })
  async onChange({ projectId, items, origins }: DomainEvent<object>): Promise<void> {
    const actions = items.flatMap((item, index): Action[] => {
      const { event, at, actor, ipAddress: address = null } = origins[index]!;
      if (!actor) return [];
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
    if (actions.length > 0) await this.entries.insert(projectId, actions);
  }

  async list(projectId: string, query: ListAuditEntries): Promise<AuditPage> {
    const [page, count] = await Promise.all([
      this.entries.list(projectId, query),
      query.withTotal ? this.entries.count(projectId, query) : undefined,
    ]);
    const total =
      count === undefined
        ? {}
        : { total: Math.min(count, totalCap), ...(count > totalCap ? { totalIsCapped: true } : {}) };
    return { ...page, items: page.items.map((row) => row.toEntry()), ...total };
  }
}
