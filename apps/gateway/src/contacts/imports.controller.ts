import { setTimeout as delay } from 'node:timers/promises';
import { Controller } from '@nestjs/common';
import {
  ContactImport,
  ContactImportError,
  ContactImportOptions,
  ContactImportPreview,
  contactImports,
  csvUnreadable,
  importNotFound,
  importReportColumns,
  ImportContacts,
  maxImportBytes,
  tooManyImports,
  type Caller,
  type ContactImportErrors,
  type ContactImportPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { Call } from '../edge/routes/call.js';
import { CsvTable, type CsvCell } from '../edge/bodies/csv.js';
import { EventStream } from '../edge/routes/event-stream.js';
import { Get, Post } from '../edge/routes/route.js';
import { ImportUploads } from './import-uploads.js';

const checkEveryMs = 500;
/** Proxies close connections that stay silent for long. */
const looksOfASign = 20;
/** About ten minutes; clients reconnect, as browsers do by themselves. */
const maxLooks = 1_200;

@Controller()
export class ImportsController {
  constructor(
    private readonly bus: Bus,
    private readonly uploads: ImportUploads,
  ) {}

  @Post('contacts/imports', {
    summary:
      'Import a table of contacts from text/csv, optionally gzipped, or from a form whose fields precede its file',
    scope: 'contacts:write',
    legacyPath: 'contacts/import',
    body: ImportContacts,
    query: ContactImportOptions,
    uploads: maxImportBytes,
    reply: ContactImport,
    outcome: 'queued',
    errors: [() => csvUnreadable(''), tooManyImports],
  })
  start(call: Call<ImportContacts, ContactImportOptions>): Promise<ContactImport> {
    return this.uploads.start(call);
  }

  @Post('contacts/imports/preview', {
    summary: 'Preview the first ten rows of an import; nothing is stored',
    scope: 'contacts:write',
    body: ImportContacts,
    query: ContactImportOptions,
    uploads: maxImportBytes,
    reply: ContactImportPreview,
    errors: [() => csvUnreadable('')],
  })
  preview(call: Call<ImportContacts, ContactImportOptions>): Promise<ContactImportPreview> {
    return this.uploads.preview(call);
  }

  @Get('contacts/imports', {
    summary: 'List imports, newest first',
    scope: 'contacts:write',
    paged: 'items',
    reply: ContactImport,
  })
  list({ caller, page }: Call): Promise<ContactImportPage> {
    return this.bus.call(contactImports.list, caller, page);
  }

  @Get('contacts/imports/:id', {
    summary: 'Get the progress of an import; with Accept: text/event-stream, each step as an event',
    scope: 'contacts:write',
    reply: ContactImport,
    streamed: 'events',
    missing: importNotFound,
  })
  async get({ caller, params, wantsEvents }: Call): Promise<ContactImport | EventStream> {
    const job = await this.bus.call(contactImports.get, caller, { id: params['id']! });
    return wantsEvents ? new EventStream(this.statesFrom(job, caller)) : job;
  }

  @Get('contacts/imports/:id/errors', {
    summary:
      'Download the rejected rows of an import as CSV with line, reason and original cells, to correct and import again',
    scope: 'contacts:write',
    reply: ContactImportError,
    streamed: 'table',
    missing: importNotFound,
  })
  async errors({ caller, params }: Call): Promise<CsvTable> {
    const id = params['id']!;
    const first = await this.bus.call(contactImports.errors, caller, { id });
    return new CsvTable([...importReportColumns, ...first.columns], this.errorsFrom(first, caller, id));
  }

  @Post('contacts/imports/:id/cancel', {
    summary: 'Cancel an import; imported rows stay, and a finished import is returned unchanged',
    scope: 'contacts:write',
    body: null,
    reply: ContactImport,
    missing: importNotFound,
    whileDisabled: true,
  })
  cancel({ caller, params }: Call): Promise<ContactImport> {
    return this.bus.call(contactImports.cancel, caller, { id: params['id']! });
  }

  /** The first state is loaded before the response starts, so that its failure still gets an error response. */
  private async *statesFrom(first: ContactImport, caller: Caller): AsyncGenerator<ContactImport | null> {
    let job = first;
    yield job;
    for (let looks = 1; !job.finishedAt && looks < maxLooks; looks += 1) {
      await delay(checkEveryMs, undefined, { ref: false });
      const now = await this.bus.call(contactImports.get, caller, { id: job.id });
      if (now.processed !== job.processed || now.status !== job.status) yield now;
      else if (looks % looksOfASign === 0) yield null;
      job = now;
    }
  }

  private async *errorsFrom(
    first: ContactImportErrors,
    caller: Caller,
    id: string,
  ): AsyncGenerator<CsvCell[][]> {
    let part = first;
    yield rowsOf(part);
    while (part.hasMore) {
      part = await this.bus.call(contactImports.errors, caller, { id, afterLine: part.items.at(-1)!.line });
      yield rowsOf(part);
    }
  }
}

/** Short rows are padded to the width of the header. */
const rowsOf = ({ columns, items }: ContactImportErrors): CsvCell[][] =>
  items.map(({ line, reason, cells = [] }) => [
    line,
    reason,
    ...cells,
    ...columns.slice(cells.length).map(() => ''),
  ]);
