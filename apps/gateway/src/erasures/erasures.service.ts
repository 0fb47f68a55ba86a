import { Injectable } from '@nestjs/common';
import { erasedAddress, type EraseAddress, type ErasedAddress } from '@posthorn/contracts';
import { EventErasure } from '@posthorn/messaging';
import { AuditEntriesRepository } from '../audit/audit-entries.repository.js';

const entriesAtOnce = 1_000;

/** The log of who did what names suppressions by their address; that somebody added or removed one stays in it. */
@Injectable()
export class ErasuresService {
  constructor(
    private readonly entries: AuditEntriesRepository,
    private readonly events: EventErasure,
  ) {}

  async erase(projectId: string, person: EraseAddress): Promise<ErasedAddress> {
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
