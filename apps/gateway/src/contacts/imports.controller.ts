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
/** What says nothing for long is taken for dead by whoever stands between. */
const looksOfASign = 20;
/** About ten minutes: who still wants to know asks again, as browsers do by themselves. */
const maxLooks = 1_200;

@Controller()
export class ImportsController {
  constructor(
    private readonly bus: Bus,
    private readonly uploads: ImportUploads,
  ) {}

  @Post('contacts/imports', {
    summary:
      'Take in a table of contacts: text/csv, packed by gzip or not, or a form with the fields of the query before its file',
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
    summary: 'The first ten rows of a table as they would land; nothing is stored',
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
    summary: 'Get how far an import is; each of its steps as an event where text/event-stream is asked for',
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
      'The rows of an import that could not be taken in, as a table: line, reason and their cells, to be corrected and imported again',
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
    summary: 'End an import; what it took in stays, and one that has ended is answered as it is',
    scope: 'contacts:write',
    body: null,
    reply: ContactImport,
    missing: importNotFound,
    whileDisabled: true,
  })
  cancel({ caller, params }: Call): Promise<ContactImport> {
    return this.bus.call(contactImports.cancel, caller, { id: params['id']! });
  }

  /** The first state is there already: what fails with it still has an answer of its own. */
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

/** A row that is shorter than the header is filled up. */
const rowsOf = ({ columns, items }: ContactImportErrors): CsvCell[][] =>
  items.map(({ line, reason, cells = [] }) => [
    line,
    reason,
    ...cells,
    ...columns.slice(cells.length).map(() => ''),
  ]);
