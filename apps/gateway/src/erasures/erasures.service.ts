import { Injectable } from '@nestjs/common';
import { erasedAddress, eraseIn, type EraseAddress, type ErasedAddress } from '@posthorn/contracts';
import { EventErasure, Handles, type Incoming } from '@posthorn/messaging';
import { AuditEntriesRepository } from '../audit/audit-entries.repository.js';

const entriesAtOnce = 1_000;

/** Audit entries of suppressions contain the address; it is replaced, and the entry stays. */
@Injectable()
export class ErasuresService {
  constructor(
    private readonly entries: AuditEntriesRepository,
    private readonly events: EventErasure,
  ) {}

  @Handles(eraseIn.gateway)
  async erase({ caller: { projectId }, body: person }: Incoming<EraseAddress>): Promise<ErasedAddress> {
    const renamed = await this.entries.renameResource(
      projectId,
      'suppression',
      person.email,
      erasedAddress,
      entriesAtOnce,
    );
    return { done: renamed < entriesAtOnce && (await this.events.erase({ ...person, projectId })) };
  }
}
