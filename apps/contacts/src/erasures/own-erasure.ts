import { Injectable } from '@nestjs/common';
import { Database, IdempotencyKeys } from '@posthorn/database';
import { addressesIn, anyOf, EventErasure, withoutAddresses } from '@posthorn/messaging';
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
    private readonly events: EventErasure,
  ) {}

  /** A bounded piece for people of one project; answers of whom nothing is left. */
  async piece(projectId: string, people: readonly PendingErasure[]): Promise<PendingErasure[]> {
    const emails = people.map(({ email }) => email);
    const [texts, addresses] = [anyOf(emails), addressesIn(emails)];
    if (!(await this.removeRows(projectId, people))) return [];
    if (!(await this.rows.removeRejected(projectId, texts, rowsAtOnce))) return [];
    await this.rows.emptyReceipts(
      projectId,
      people.map(({ id }) => id),
    );
    if (
      !(await this.keys.erase(projectId, texts, rowsAtOnce, (receipt) =>
        withoutAddresses(receipt, addresses),
      ))
    )
      return [];
    await this.rewordSegments(projectId, texts, addresses);
    const forgotten = await Promise.all(people.map((person) => this.events.erase(requested(person))));
    return people.filter((_, index) => forgotten[index]);
  }

  /** Those whom a table may name that is still there: it goes once its import is over, which leaves them out. */
  async mayBeImported(projectId: string, people: readonly PendingErasure[]): Promise<PendingErasure[]> {
    const oldest = people.length > 0 ? await this.imports.oldestRetained(projectId) : null;
    return people.filter(({ createdAt }) => oldest !== null && oldest <= createdAt);
  }

  /** After everybody else: what was under way while they forgot. */
  async finish(projectId: string, people: readonly PendingErasure[]): Promise<boolean> {
    return (await this.removeRows(projectId, people)) && this.events.eraseLetters(people.map(requested));
  }

  private removeRows(projectId: string, people: readonly PendingErasure[]): Promise<boolean> {
    return this.rows.remove(
      projectId,
      people.map(({ id }) => id),
      rowsAtOnce,
    );
  }

  /** The project is held, so that nobody writes back a condition that was read before; where none says the words, nobody waits. */
  private async rewordSegments(projectId: string, texts: string, addresses: RegExp): Promise<void> {
    if ((await this.segments.containing(projectId, texts)).length === 0) return;
    await this.database.transaction(async () => {
      await this.segments.lockProject(projectId);
      const containing = await this.segments.containing(projectId, texts);
      const reworded = containing.map(({ id, condition }) => ({
        id,
        condition: withoutAddresses(condition, addresses),
      }));
      if (reworded.length > 0) await this.segments.rewordConditions(projectId, reworded);
    });
  }
}

const requested = ({ projectId, id: erasureId, email }: PendingErasure) => ({ projectId, erasureId, email });
