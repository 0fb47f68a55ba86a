import { Controller } from '@nestjs/common';
import { HearsEach, type Fact } from '@posthorn/messaging';
import type { Deed } from './audit-entries.repository.js';
import { Audit } from './audit.js';
import { actionOf, auditedContracts, auditedFacts } from './audited-facts.js';

/** The inbox row of a fact and its entries commit together: each deed is written down once, however often it is told. */
@Controller()
export class AuditSubscribers {
  constructor(private readonly audit: Audit) {}

  @HearsEach(auditedContracts, 'audit')
  async onChange({ projectId, items, origins }: Fact<object>): Promise<void> {
    const deeds = items.flatMap((item, place): Deed[] => {
      const { fact, at, actor, address = null } = origins[place]!;
      // What a service does by itself is nobody's deed.
      if (!actor || actor.kind === 'SERVICE') return [];
      const { contract, type, idOf } = auditedFacts.get(fact)!;
      return [{ at, actor, address, action: actionOf(contract), resource: { type, id: idOf(item) }, outcome: 'SUCCEEDED' }];
    });
    await this.audit.learn(projectId, deeds);
  }
}
