import { Injectable } from '@nestjs/common';
import {
  suppressionImports,
  type SuppressionImport,
  type ImportSuppressions,
  type SuppressionImportId,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { importRows, layoutOf, ListUnreadable } from './import-rows.js';
import { SuppressionImportsRepository } from './suppression-imports.repository.js';

@Injectable()
export class SuppressionImports {
  constructor(private readonly imports: SuppressionImportsRepository) {}

  @Handles(suppressionImports.start)
  async start({
    caller: { projectId, actor },
    body: { csv },
  }: Incoming<ImportSuppressions>): Promise<SuppressionImport> {
    layoutOf(csv);
    const source = actor.kind === 'USER' ? 'DASHBOARD' : 'API';
    return (await this.imports.insert(projectId, { csv, source, total: await countRows(csv) })).toImport();
  }

  @Handles(suppressionImports.get)
  async get({
    caller: { projectId },
    body: { id },
  }: Incoming<SuppressionImportId>): Promise<SuppressionImport> {
    return (await this.imports.findOrFail(projectId, id)).toImport();
  }
}

/** For the progress; the rows before a malformed one are imported, too. */
async function countRows(csv: string): Promise<number> {
  let count = 0;
  try {
    for await (const _ of importRows(csv)) count += 1;
  } catch (error) {
    if (!(error instanceof ListUnreadable)) throw error;
  }
  return count;
}
