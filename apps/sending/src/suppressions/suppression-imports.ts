import { Injectable } from '@nestjs/common';
import { importNotFound, type Caller, type SuppressionImport } from '@posthorn/contracts';
import { CsvError } from 'csv-parse';
import { importRows, layoutOf } from './import-rows.js';
import { SuppressionImportsRepository } from './suppression-imports.repository.js';

/** Lists of addresses to suppress, as their projects see them; `SuppressionImportsWork` imports them. */
@Injectable()
export class SuppressionImports {
  constructor(private readonly imports: SuppressionImportsRepository) {}

  async start({ projectId, actor }: Caller, csv: string): Promise<SuppressionImport> {
    layoutOf(csv);
    const source = actor.kind === 'USER' ? 'DASHBOARD' : 'API';
    return (await this.imports.insert(projectId, { csv, source, total: await countRows(csv) })).toImport();
  }

  async get(projectId: string, id: string): Promise<SuppressionImport> {
    const row = await this.imports.find(projectId, id);
    if (!row) throw importNotFound();
    return row.toImport();
  }
}

/** Only to say how far it is: a list whose end cannot be read has the rows before it. */
async function countRows(csv: string): Promise<number> {
  let count = 0;
  try {
    for await (const _ of importRows(csv)) count += 1;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  return count;
}
