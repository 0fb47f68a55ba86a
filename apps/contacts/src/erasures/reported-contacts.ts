import { Injectable } from '@nestjs/common';
import { DomainError } from '@posthorn/contracts';
import { refused, type ContactWrite, type WrittenContact } from '../contacts/writes/contact-write.js';
import { ContactWrites } from '../contacts/writes/contact-writes.js';
import { Tombstones } from './tombstones.js';

/** A person was erased during the write; a repetition finds the tombstone. */
export class ErasedMeanwhile extends Error {
  override readonly name = 'ErasedMeanwhile';
}

export interface ReportOptions {
  /** Who was erased is looked up only after the write, which throws `ErasedMeanwhile` then: for callers that roll it back and repeat it otherwise. */
  looksAfterwards?: boolean;
}

const personErased = () =>
  new DomainError('invalid', 'validation_error', 'is about a person who was erased since');

/** Creates and changes contacts by information from the past, such as an event or a row of an import. */
@Injectable()
export class ReportedContacts {
  constructor(
    private readonly writes: ContactWrites,
    private readonly tombstones: Tombstones,
  ) {}

  /** Like `ContactWrites.write`, for one project; refuses writes about people who were erased after `reportedAt`. */
  async write(
    writes: ContactWrite[],
    reportedAt: readonly Date[],
    { looksAfterwards = false }: ReportOptions = {},
  ): Promise<WrittenContact[]> {
    if (writes.length === 0) return [];
    const { projectId } = writes[0]!;
    const reports = writes.map((write, index) => ({ write, email: write.email, at: reportedAt[index]! }));
    const valid = looksAfterwards ? reports : await this.tombstones.withoutErased(projectId, reports);
    const written = await this.writes.write(valid.map(({ write }) => write));
    // A contact that was deleted between the check and the write has just been created again.
    const created = valid.filter((_, index) => written[index]!.outcome === 'CREATED');
    if ((await this.tombstones.withoutErased(projectId, created)).length < created.length)
      throw new ErasedMeanwhile('a person was erased during the write');
    const results = new Map(valid.map(({ write }, index) => [write, written[index]!]));
    return writes.map((write) => results.get(write) ?? refused(personErased()));
  }
}
