import { Injectable } from '@nestjs/common';
import { Database, IdempotencyKeys } from '@posthorn/database';
import { addressesIn, anyOf, ErasingFacts, withoutAddresses } from '@posthorn/messaging';
import { ImportsRepository } from '../imports/imports.repository.js';
import { SegmentsRepository } from '../segments/segments.repository.js';
import { ErasedRowsRepository } from './erased-rows.repository.js';
import type { PendingErasure } from './pending-erasures.js';

const rowsAtOnce = 1_000;

/** What this service itself does of erasures after the deletions were answered. Each step may be repeated. */
@Injectable()
export class OwnErasure {
  constructor(
    private readonly database: Database,
    private readonly rows: ErasedRowsRepository,
    private readonly keys: IdempotencyKeys,
    private readonly segments: SegmentsRepository,
    private readonly imports: ImportsRepository,
    private readonly facts: ErasingFacts,
  ) {}

  /** A bounded piece for people of one project; answers of whom nothing is left. */
  async piece(projectId: string, people: readonly PendingErasure[]): Promise<PendingErasure[]> {
    const emails = people.map(({ email }) => email);
    const [words, addresses] = [anyOf(emails), addressesIn(emails)];
    if (!(await this.removeRows(projectId, people))) return [];
    if (!(await this.rows.removeRejected(projectId, words, rowsAtOnce))) return [];
    await this.rows.emptyReceipts(
      projectId,
      people.map(({ id }) => id),
    );
    if (!(await this.keys.erase(projectId, words, rowsAtOnce, (receipt) => withoutAddresses(receipt, addresses)))) return [];
    await this.rewordSegments(projectId, words, addresses);
    const forgotten = await Promise.all(people.map((person) => this.facts.erase(asked(person))));
    return people.filter((_, place) => forgotten[place]);
  }

  /** Those whom a table may name that is still there: it goes once its import is over, which leaves them out. */
  async mayBeImported(projectId: string, people: readonly PendingErasure[]): Promise<PendingErasure[]> {
    const oldest = people.length > 0 ? await this.imports.oldestKept(projectId) : null;
    return people.filter(({ createdAt }) => oldest !== null && oldest <= createdAt);
  }

  /** After everybody else: what was under way while they forgot. */
  async finish(projectId: string, people: readonly PendingErasure[]): Promise<boolean> {
    return (await this.removeRows(projectId, people)) && this.facts.eraseLetters(people.map(asked));
  }

  private removeRows(projectId: string, people: readonly PendingErasure[]): Promise<boolean> {
    return this.rows.remove(
      projectId,
      people.map(({ id }) => id),
      rowsAtOnce,
    );
  }

  /** The project is held, so that nobody writes back a condition that was read before; where none says the words, nobody waits. */
  private async rewordSegments(projectId: string, words: string, addresses: RegExp): Promise<void> {
    if ((await this.segments.saying(projectId, words)).length === 0) return;
    await this.database.transaction(async () => {
      await this.segments.lockProject(projectId);
      const saying = await this.segments.saying(projectId, words);
      const reworded = saying.map(({ id, condition }) => ({ id, condition: withoutAddresses(condition, addresses) }));
      if (reworded.length > 0) await this.segments.rewordConditions(projectId, reworded);
    });
  }
}

const asked = ({ projectId, id: erasureId, email }: PendingErasure) => ({ projectId, erasureId, email });
