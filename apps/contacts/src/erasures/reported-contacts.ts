import { Injectable } from '@nestjs/common';
import { DomainError } from '@posthorn/contracts';
import { refused, type ContactWrite, type WrittenContact } from '../contacts/writes/contact-write.js';
import { ContactWrites } from '../contacts/writes/contact-writes.js';
import { Tombstones } from './tombstones.js';

/** Somebody was erased while they were written: whoever writes begins again, and knows then. */
class ErasedMeanwhile extends Error {
  override readonly name = 'ErasedMeanwhile';
}

const personErased = () =>
  new DomainError('invalid', 'validation_error', 'is of a person who was erased after it was told');

/** Contacts that are made or changed by what was told earlier, as by an event or a row of a table, and not by whoever asks now. */
@Injectable()
export class ReportedContacts {
  constructor(
    private readonly writes: ContactWrites,
    private readonly tombstones: Tombstones,
  ) {}

  /** As `ContactWrites.write`, of one project; `toldAt` says when each was told. Those of erased people are refused. */
  async write(
    writes: ContactWrite[],
    reportedAt: readonly Date[],
    options?: { checksFirst: boolean },
  ): Promise<WrittenContact[]> {
    if (writes.length === 0) return [];
    const { projectId } = writes[0]!;
    const published = writes.map(({ email }, index) => ({ email, at: reportedAt[index]!, place: index }));
    const standing = await this.tombstones.standing(projectId, published);
    const written = await this.writes.write(
      standing.map(({ place: index }) => writes[index]!),
      options,
    );
    // A contact that was deleted between the look and the write is one that this write has made anew.
    const made = standing.filter((_, index) => written[index]!.outcome === 'CREATED');
    if ((await this.tombstones.standing(projectId, made)).length < made.length)
      throw new ErasedMeanwhile('somebody was erased meanwhile');
    const byIndex = new Map(standing.map(({ place: position }, index) => [position, written[index]!]));
    return writes.map((_, index) => byIndex.get(index) ?? refused(personErased()));
  }
}
