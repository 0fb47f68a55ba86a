import { Injectable } from '@nestjs/common';
import { Database, IdempotencyKeys } from '@posthorn/database';
import { addressesIn, anyOf, EventErasure, withoutAddresses } from '@posthorn/messaging';
import { ImportsRepository } from '../imports/imports.repository.js';
import { SegmentsRepository } from '../segments/segments.repository.js';
import { ErasedRowsRepository } from './erased-rows.repository.js';
import type { PendingErasure } from './pending-erasures.js';

const batchSize = 1_000;

/** The part of this service after the answer to the deletion. Each step may be repeated. */
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

  async step(projectId: string, people: readonly PendingErasure[]): Promise<PendingErasure[]> {
    const emails = people.map(({ email }) => email);
    const [pattern, addresses] = [anyOf(emails), addressesIn(emails)];
    if (!(await this.removeRows(projectId, people))) return [];
    if (!(await this.rows.removeRejected(projectId, pattern, batchSize))) return [];
    await this.rows.emptyReceipts(
      projectId,
      people.map(({ id }) => id),
    );
    const rewrite = (receipt: object) => withoutAddresses(receipt, addresses);
    if (!(await this.keys.erase(projectId, pattern, batchSize, rewrite))) return [];
    await this.rewriteSegments(projectId, pattern, addresses);
    const erased = await Promise.all(people.map((person) => this.events.erase(requested(person))));
    return people.filter((_, index) => erased[index]);
  }

  /** The people whom an import may still contain. Their turn comes after it, because it leaves them out and its bytes are then deleted. */
  async mayBeImported(projectId: string, people: readonly PendingErasure[]): Promise<PendingErasure[]> {
    const oldest = people.length > 0 ? await this.imports.oldestRetained(projectId) : null;
    return people.filter(({ createdAt }) => oldest !== null && oldest <= createdAt);
  }

  /** Removes what arrived while the other services erased. */
  async finish(projectId: string, people: readonly PendingErasure[]): Promise<boolean> {
    await this.rows.removeEarlyMail(
      projectId,
      people.map(({ email }) => email),
    );
    return (await this.removeRows(projectId, people)) && this.events.eraseLetters(people.map(requested));
  }

  private removeRows(projectId: string, people: readonly PendingErasure[]): Promise<boolean> {
    return this.rows.remove(
      projectId,
      people.map(({ id }) => id),
      batchSize,
    );
  }

  /** Under the lock of the project, so that nobody writes back a condition that was read before; taken only if there is something to rewrite. */
  private async rewriteSegments(projectId: string, pattern: string, addresses: RegExp): Promise<void> {
    if ((await this.segments.containing(projectId, pattern)).length === 0) return;
    await this.database.transaction(async () => {
      await this.segments.lockProject(projectId);
      const containing = await this.segments.containing(projectId, pattern);
      const rewritten = containing.map(({ id, condition }) => ({
        id,
        condition: withoutAddresses(condition, addresses),
      }));
      if (rewritten.length > 0) await this.segments.rewriteConditions(projectId, rewritten);
    });
  }
}

const requested = ({ projectId, id: erasureId, email }: PendingErasure) => ({ projectId, erasureId, email });
