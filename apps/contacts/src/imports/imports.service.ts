import { Injectable } from '@nestjs/common';
import {
  invalidMember,
  isUuid,
  maxOpenImports,
  tooManyImports,
  contactImports,
  type FurtherTablePiece,
  type ListContactImportErrors,
  type ContactImport,
  type ContactImportErrors,
  type ContactImportId,
  type ContactImportOptions,
  type ContactImportPage,
  type ContactImportPreview,
  type PageQuery,
  type PreviewContactImport,
  type StartContactImport,
} from '@posthorn/contracts';
import { bytesOfFurther, bytesOfPiece, linesIn } from '@posthorn/csv';
import { pageWithTotal } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { originOf } from '../contacts/writes/contact-write.js';
import { ListsRepository } from '../lists/lists.repository.js';
import { ImportErrorsRepository } from './import-errors.repository.js';
import { headerOf } from './table/import-layout.js';
import { ImportPiecesRepository } from './import-pieces.repository.js';
import { previewOf } from './table/import-preview.js';
import { refuseUnclear } from './table/import-statuses.js';
import { readTable } from './table/import-table.js';
import type { ImportRow } from './import.entity.js';
import { ImportsRepository } from './imports.repository.js';

const errorsPerPage = 1_000;
const maxLists = 10;

@Injectable()
export class ImportsService {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly pieces: ImportPiecesRepository,
    private readonly errors: ImportErrorsRepository,
    private readonly lists: ListsRepository,
    private readonly commits: Commits,
  ) {}

  @Handles(contactImports.start)
  async start({ caller, body, deadline }: Incoming<StartContactImport>): Promise<ContactImport> {
    const { projectId } = caller;
    const bytes = bytesOfPiece(body);
    const { layout, columns } = readTable(bytes, body);
    refuseUnclear(columns);
    const listIds = listIdsOf(body);
    const row = await this.commits.before(deadline, async () => {
      if ((await this.imports.countOpen(projectId)) >= maxOpenImports) throw tooManyImports();
      await this.checkLists(projectId, listIds, body);
      const { mode = 'both', subscribed = null, consent = null, resubscribe = false } = body;
      const origin = originOf(caller, 'IMPORT', consent);
      const wanted = { projectId, mode, listIds, subscribed, resubscribe, origin, layout };
      const started = await this.imports.insert(wanted);
      return this.addPiece(started, bytes, body.last);
    });
    return row.toImport();
  }

  @Handles(contactImports.append)
  async append({ caller, body, deadline }: Incoming<FurtherTablePiece>): Promise<ContactImport> {
    const row = await this.commits.before(deadline, async () => {
      const known = await this.imports.lockOrFail(caller.projectId, body.id);
      const bytes = bytesOfFurther(known, body);
      return bytes ? this.addPiece(known, bytes, body.last) : known;
    });
    return row.toImport();
  }

  @Handles(contactImports.get)
  async get({ caller, body }: Incoming<ContactImportId>): Promise<ContactImport> {
    return (await this.imports.findOrFail(caller.projectId, body.id)).toImport();
  }

  @Handles(contactImports.list)
  async list({ caller: { projectId }, body: query }: Incoming<PageQuery>): Promise<ContactImportPage> {
    const page = await pageWithTotal(query, this.imports.list(projectId, query), () =>
      this.imports.total(projectId),
    );
    return { ...page, items: page.items.map((row) => row.toImport()) };
  }

  @Handles(contactImports.errors)
  async listErrors({
    caller: { projectId },
    body: { id, afterLine = -1 },
  }: Incoming<ListContactImportErrors>): Promise<ContactImportErrors> {
    const { layout } = await this.imports.findOrFail(projectId, id);
    const items = await this.errors.list(projectId, id, afterLine, errorsPerPage + 1);
    return {
      columns: headerOf(layout),
      items: items.slice(0, errorsPerPage),
      hasMore: items.length > errorsPerPage,
    };
  }

  /** Waits for the commit that is under way; an import that has ended keeps its status. */
  @Handles(contactImports.cancel)
  async cancel({ caller, body, deadline }: Incoming<ContactImportId>): Promise<ContactImport> {
    const { projectId } = caller;
    await this.commits.before(deadline, async () => {
      await this.imports.finish(await this.imports.lockOrFail(projectId, body.id), 'CANCELLED');
    });
    return (await this.imports.findOrFail(projectId, body.id)).toImport();
  }

  @Handles(contactImports.preview)
  preview({ body }: Incoming<PreviewContactImport>): Promise<ContactImportPreview> {
    return Promise.resolve(previewOf(body));
  }

  private async addPiece(row: ImportRow, bytes: Buffer, last: boolean): Promise<ImportRow> {
    await this.pieces.put(row, row.pieces, bytes);
    const { headed, start } = row.layout;
    const header = row.pieces === 0 ? Number(headed) + Number(start > 0) : 0;
    return this.imports.addPiece(row, linesIn(bytes, last) - header, last);
  }

  private async checkLists(
    projectId: string,
    listIds: string[],
    { consent }: ContactImportOptions,
  ): Promise<void> {
    if (listIds.length === 0) return;
    const lists = await this.lists.lockAllShared(projectId, listIds);
    if (lists.length < listIds.length)
      throw invalidMember(['listIds'], 'not_found', 'names a list that does not exist');
    if (consent === undefined && lists.some(({ doubleOptIn }) => doubleOptIn))
      throw invalidMember(['consent'], 'required', 'is required for a list with double opt-in');
  }
}

function listIdsOf({ listId, listIds = '' }: ContactImportOptions): string[] {
  const named = listIds.split(',').map((id) => id.trim().toLowerCase());
  const ids = [...new Set([listId?.toLowerCase() ?? '', ...named])].filter((id) => id !== '').sort();
  if (!ids.every(isUuid))
    throw invalidMember(['listIds'], 'invalid_format', 'must be ids separated by commas');
  if (ids.length > maxLists)
    throw invalidMember(['listIds'], 'too_long', `must name at most ${maxLists} lists`);
  return ids;
}
