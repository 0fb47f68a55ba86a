import type { FactoryProvider } from '@nestjs/common';
import type { RequestContract, RotatedSecrets, RotateSecrets, SecretPosition } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { SealedRowsRepository, type SealedRow, type SealedTable } from './sealed-rows.repository.js';
import { Secrets, UnreadableSecret } from './sealing.js';

const batch = 100;

/** Seals stored secrets again under the current key in batches, while they are in use. */
export class Resealing {
  private readonly rows: SealedRowsRepository;

  constructor(
    database: Database,
    private readonly secrets: Secrets,
    private readonly tables: readonly SealedTable[],
  ) {
    this.rows = new SealedRowsRepository(database);
  }

  async rotate(after?: SecretPosition): Promise<RotatedSecrets> {
    const { prefix } = this.secrets;
    for (const each of this.tablesFrom(after)) {
      const rows = await this.rows.otherThan(
        prefix,
        each,
        batch,
        after?.table === each.table ? after : undefined,
      );
      const last = rows.at(-1);
      if (!last) continue;
      const resealed = rows.flatMap((row) => this.reseal(each, row));
      const rotated = await this.rows.replace(each, resealed);
      const next = { table: each.table, projectId: last.projectId, id: last.id };
      return { rotated, unreadable: rows.length - resealed.length, left: await this.left(), next };
    }
    return { rotated: 0, unreadable: 0, left: await this.left(), next: null };
  }

  private left(): Promise<number> {
    return this.rows.countOtherThan(this.secrets.prefix, this.tables);
  }

  private reseal(
    { table, project, placeId }: SealedTable,
    row: SealedRow,
  ): (SealedRow & { resealed: string })[] {
    const location = { table, projectId: project === null ? null : row.projectId, id: placeId ?? row.id };
    try {
      return [{ ...row, resealed: this.secrets.seal(this.secrets.open(row.sealed, location), location) }];
    } catch (error) {
      // An unreadable secret must not block the others.
      if (error instanceof UnreadableSecret) return [];
      throw error;
    }
  }

  private tablesFrom(after?: SecretPosition): readonly SealedTable[] {
    const index = this.tables.findIndex(({ table }) => table === after?.table);
    return this.tables.slice(Math.max(0, index));
  }
}

/** Answers `contract`, in the service that keeps the tables. */
export function resealingOf(
  contract: RequestContract,
  tables: readonly SealedTable[],
): FactoryProvider<Resealing> {
  class OwnResealing extends Resealing {
    @Handles(contract)
    answer({ body }: Incoming<RotateSecrets>): Promise<RotatedSecrets> {
      return this.rotate(body.after);
    }
  }
  return {
    provide: Resealing,
    useFactory: (database: Database, secrets: Secrets) => new OwnResealing(database, secrets, tables),
    inject: [Database, Secrets],
  };
}
