import { Injectable } from '@nestjs/common';
import type { EraseAddress, ErasedAddress } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { addressesIn, anyOf, ErasingFacts, withoutAddresses } from '@posthorn/messaging';
import { GraphsRepository, type GraphPart } from '../workflows/graphs.repository.js';

const parts: readonly GraphPart[] = ['steps', 'transitions'];

/** The steps of a workflow and the ways between them may ask for somebody by their address. */
@Injectable()
export class ErasuresService {
  constructor(
    private readonly database: Database,
    private readonly graphs: GraphsRepository,
    private readonly facts: ErasingFacts,
  ) {}

  async erase(projectId: string, person: EraseAddress): Promise<ErasedAddress> {
    const [words, addresses] = [anyOf([person.email]), addressesIn([person.email])];
    for (const part of parts)
      await this.database.transaction(async () => {
        const saying = await this.graphs.lockSaying(part, projectId, words);
        const reworded = saying.map((row) => ({ ...row, said: withoutAddresses(row.said, addresses) }));
        if (reworded.length > 0) await this.graphs.reword(part, projectId, reworded);
      });
    return { done: await this.facts.erase({ ...person, projectId }) };
  }
}
