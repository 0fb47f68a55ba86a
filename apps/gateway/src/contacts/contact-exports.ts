import { Injectable } from '@nestjs/common';
import { contacts, type Caller, type Contact, type ContactFilter } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { CsvTable, type CsvCell } from '../wire/bodies/csv.js';
import { pagesFrom } from '../routes/streamed.js';

const columns = ['id', 'email', 'subscribed', 'custom_fields', 'created_at', 'updated_at'];

@Injectable()
export class ContactExports {
  constructor(private readonly bus: Bus) {}

  async table(caller: Caller, filter: ContactFilter): Promise<CsvTable> {
    const first = await this.bus.call(contacts.export, caller, filter);
    const pages = pagesFrom(first, ({ next }) =>
      next ? this.bus.call(contacts.export, caller, { ...filter, after: next }) : null,
    );
    return new CsvTable(columns, rowsOf(pages));
  }
}

async function* rowsOf(pages: AsyncIterable<{ items: Contact[] }>): AsyncGenerator<CsvCell[][]> {
  for await (const { items } of pages) yield items.map(cellsOf);
}

const cellsOf = ({ id, email, subscribed, customFields, createdAt, updatedAt }: Contact): CsvCell[] => [
  id,
  email,
  String(subscribed),
  JSON.stringify(customFields),
  createdAt.toISOString(),
  updatedAt.toISOString(),
];
