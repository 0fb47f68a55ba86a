import { Injectable } from '@nestjs/common';
import {
  contactImports,
  maxImportBytes,
  type ContactImport,
  type ContactImportOptions,
  type ContactImportPreview,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { firstPieceOf, uploadTable, whileUploading, type TableRequest } from '../routes/table-uploads.js';

@Injectable()
export class ImportUploads {
  constructor(private readonly bus: Bus) {}

  start(request: TableRequest<ContactImportOptions>): Promise<ContactImport> {
    const { caller, query } = request;
    return uploadTable(request, maxImportBytes, {
      start: (piece) => this.bus.call(contactImports.start, caller, { ...query, ...piece }, whileUploading),
      append: ({ id }, piece) =>
        this.bus.call(contactImports.append, caller, { ...piece, id }, whileUploading),
      drop: ({ id }) => this.bus.call(contactImports.cancel, caller, { id }),
    });
  }

  async preview(request: TableRequest<ContactImportOptions>): Promise<ContactImportPreview> {
    const first = await firstPieceOf(request);
    return this.bus.call(
      contactImports.preview,
      request.caller,
      { ...request.query, ...first },
      whileUploading,
    );
  }
}
