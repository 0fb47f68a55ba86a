import { Controller } from '@nestjs/common';
import {
  ContactImport,
  ContactImportError,
  ContactImportOptions,
  ContactImportPreview,
  contactImports,
  csvUnreadable,
  importNotFound,
  ImportContacts,
  maxImportBytes,
  tooManyImports,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../routes/route-request.js';
import type { CsvTable } from '../wire/bodies/csv.js';
import type { EventStream } from '../routes/event-stream.js';
import { Get, Post } from '../routes/route.js';
import { ImportReports } from './import-reports.js';
import { ImportUploads } from './import-uploads.js';

@Controller()
export class ImportsController {
  constructor(
    private readonly bus: Bus,
    private readonly uploads: ImportUploads,
    private readonly reports: ImportReports,
  ) {}

  @Post('contacts/imports', {
    summary:
      'Import a table of contacts from text/csv, optionally gzipped, or from a form whose fields precede its file',
    scope: 'contacts:write',
    legacyPath: 'contacts/import',
    body: ImportContacts,
    query: ContactImportOptions,
    maxUploadBytes: maxImportBytes,
    reply: ContactImport,
    success: 'queued',
    errors: [() => csvUnreadable(''), tooManyImports],
  })
  start(request: RouteRequest<ImportContacts, ContactImportOptions>): Promise<ContactImport> {
    return this.uploads.start(request);
  }

  @Post('contacts/imports/preview', {
    summary: 'Preview the first ten rows of an import; nothing is stored',
    scope: 'contacts:write',
    body: ImportContacts,
    query: ContactImportOptions,
    maxUploadBytes: maxImportBytes,
    reply: ContactImportPreview,
    onlyReads: true,
    errors: [() => csvUnreadable('')],
  })
  preview(request: RouteRequest<ImportContacts, ContactImportOptions>): Promise<ContactImportPreview> {
    return this.uploads.preview(request);
  }

  @Get('contacts/imports/:id', {
    summary: 'Get the progress of an import; with Accept: text/event-stream, each step as an event',
    scope: 'contacts:write',
    reply: ContactImport,
    streamed: 'events',
    missing: importNotFound,
  })
  async get({ caller, params, wantsEvents }: RouteRequest): Promise<ContactImport | EventStream> {
    const job = await this.bus.call(contactImports.get, caller, { id: params['id']! });
    return wantsEvents ? this.reports.follow(job, caller) : job;
  }

  @Get('contacts/imports/:id/errors', {
    summary:
      'Download the rejected rows of an import as CSV with line, reason and original cells, to correct and import again',
    scope: 'contacts:write',
    reply: ContactImportError,
    streamed: 'table',
    missing: importNotFound,
  })
  errors({ caller, params }: RouteRequest): Promise<CsvTable> {
    return this.reports.errors(caller, params['id']!);
  }
}
