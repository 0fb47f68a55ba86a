import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  contactImports,
  importReportColumns,
  type Caller,
  type ContactImport,
  type ContactImportErrors,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { CsvTable, type CsvCell } from '../wire/bodies/csv.js';
import { EventStream } from '../routes/event-stream.js';
import { pagesFrom } from '../routes/streamed.js';

const checkEveryMs = 500;
/** Proxies close a connection that is silent for long, and the credential is checked with each event. */
const checksPerKeepAlive = 4;
/** About ten minutes; browsers reconnect by themselves. */
const maxChecks = 1_200;

@Injectable()
export class ImportReports {
  constructor(private readonly bus: Bus) {}

  follow(job: ContactImport, caller: Caller): EventStream {
    return new EventStream(this.statesOf(job, caller));
  }

  async errors(caller: Caller, id: string): Promise<CsvTable> {
    const first = await this.bus.call(contactImports.errors, caller, { id });
    const parts = pagesFrom(first, ({ hasMore, items }) =>
      hasMore ? this.bus.call(contactImports.errors, caller, { id, afterLine: items.at(-1)!.line }) : null,
    );
    return new CsvTable([...importReportColumns, ...first.columns], rowsOf(parts));
  }

  private async *statesOf(first: ContactImport, caller: Caller): AsyncGenerator<ContactImport | null> {
    let job = first;
    yield job;
    for (let checks = 1; !job.finishedAt && checks < maxChecks; checks += 1) {
      await delay(checkEveryMs, undefined, { ref: false });
      const now = await this.bus.call(contactImports.get, caller, { id: job.id });
      if (now.processed !== job.processed || now.status !== job.status) yield now;
      else if (checks % checksPerKeepAlive === 0) yield null;
      job = now;
    }
  }
}

async function* rowsOf(parts: AsyncIterable<ContactImportErrors>): AsyncGenerator<CsvCell[][]> {
  for await (const { columns, items } of parts)
    yield items.map(({ line, reason, cells = [] }) => [
      line,
      reason,
      ...cells,
      ...columns.slice(cells.length).map(() => ''),
    ]);
}
