import { Controller } from '@nestjs/common';
import {
  BulkContacts,
  BulkOutcome,
  Contact,
  ContactFilter,
  contactNotFound,
  PersonData,
} from '@posthorn/contracts';
import type { RouteRequest } from '../routes/route-request.js';
import type { CsvTable } from '../wire/bodies/csv.js';
import { Get, Post } from '../routes/route.js';
import type { StreamedResource } from '../routes/streamed.js';
import { BulkContactWrites } from './bulk-contacts.js';
import { ContactExports } from './contact-exports.js';
import { PeopleData } from './person-data.js';

@Controller()
export class ContactsController {
  constructor(
    private readonly people: PeopleData,
    private readonly bulkWrites: BulkContactWrites,
    private readonly exports: ContactExports,
  ) {}

  @Post('contacts/bulk', {
    summary: 'Create or update up to 1,000 contacts',
    scope: 'contacts:write',
    body: BulkContacts,
    batchField: 'contacts',
    reply: BulkOutcome,
  })
  bulk(request: RouteRequest<BulkContacts>): Promise<BulkOutcome> {
    return this.bulkWrites.write(request);
  }

  @Get('contacts/export', {
    summary: 'Export the contacts that match a filter as CSV, newest first',
    scope: 'contacts:read',
    query: ContactFilter,
    reply: Contact,
    streamed: 'table',
  })
  export({ caller, query }: RouteRequest<object, ContactFilter>): Promise<CsvTable> {
    return this.exports.table(caller, query);
  }

  @Get('contacts/:id/data', {
    summary: 'Export all data about a person',
    scope: 'contacts:read',
    reply: PersonData,
    streamed: 'json',
    missing: contactNotFound,
  })
  data({ caller, params }: RouteRequest): Promise<StreamedResource> {
    return this.people.of(caller, params['id']!);
  }
}
