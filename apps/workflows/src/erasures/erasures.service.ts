import { Injectable } from '@nestjs/common';
import type { EraseAddress, ErasedAddress } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { addressesIn, anyOf, EventErasure, withoutAddresses } from '@posthorn/messaging';
import { GraphsRepository, type GraphPart } from '../workflows/graphs.repository.js';

const parts: readonly GraphPart[] = ['steps', 'transitions'];

/** The steps of a workflow and the ways between them may ask for somebody by their address. */
@Injectable()
export class ErasuresService {
  constructor(
    private readonly database: Database,
    private readonly graphs: GraphsRepository,
    private readonly events: EventErasure,
  ) {}

  async erase(projectId: string, person: EraseAddress): Promise<ErasedAddress> {
    const [texts, addresses] = [anyOf([person.email]), addressesIn([person.email])];
    for (const part of parts)
      await this.database.transaction(async () => {
        const containing = await this.graphs.lockContaining(part, projectId, texts);
        const reworded = containing.map((row) => ({ ...row, said: withoutAddresses(row.said, addresses) }));
        if (reworded.length > 0) await this.graphs.reword(part, projectId, reworded);
      });
    return { done: await this.events.erase({ ...person, projectId }) };
  }
}
