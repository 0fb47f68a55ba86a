import { Injectable } from '@nestjs/common';
import type { RotatedSecrets, SecretPosition } from '@posthorn/contracts';
import { Secrets, UnreadableSecret } from '@posthorn/platform';
import { SealedRowsRepository, type SealedRow } from './sealed-rows.repository.js';
import { sealedTables, type SealedTable } from './sealed-tables.js';

const batch = 100;

/** Brings what lies sealed under the current key, batch by batch, beside all that reads and writes it. */
@Injectable()
export class SecretsService {
  constructor(
    private readonly rows: SealedRowsRepository,
    private readonly secrets: Secrets,
  ) {}

  async rotate(after?: SecretPosition): Promise<RotatedSecrets> {
    const { prefix } = this.secrets;
    for (const each of from(after)) {
      const rows = await this.rows.otherThan(prefix, each, batch, after?.table === each.table ? after : undefined);
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
    return this.rows.countOtherThan(this.secrets.prefix, sealedTables);
  }

  private reseal({ table, project, placeId }: SealedTable, row: SealedRow): (SealedRow & { resealed: string })[] {
    const place = { table, projectId: project === null ? null : row.projectId, id: placeId ?? row.id };
    try {
      return [{ ...row, resealed: this.secrets.seal(this.secrets.open(row.sealed, place), place) }];
    } catch (error) {
      // One that no key opens must not keep the others from theirs.
      if (error instanceof UnreadableSecret) return [];
      throw error;
    }
  }
}

/** The tables from that of the position on. */
function from(after?: SecretPosition): readonly SealedTable[] {
  const place = sealedTables.findIndex(({ table }) => table === after?.table);
  return sealedTables.slice(Math.max(0, place));
}
