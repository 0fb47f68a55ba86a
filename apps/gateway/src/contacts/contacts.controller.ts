import { Controller } from '@nestjs/common';
import {
  Activity,
  activity,
  BulkContacts,
  BulkOutcome,
  Consent,
  consents,
  Contact,
  contactExists,
  ContactFilter,
  contactNotFound,
  contacts,
  contactsUnnamed,
  CreateContact,
  DeleteContacts,
  DeletedContact,
  DeletedContacts,
  PersonData,
  UpdateContact,
  type ActivityPage,
  type ConsentPage,
  type ContactPage,
  type UpdateContactById,
} from '@posthorn/contracts';
import { Bus, shareFor } from '@posthorn/messaging';
import type { RouteRequest, Surface } from '../edge/routes/route-request.js';
import type { CsvTable } from '../edge/bodies/csv.js';
import { Delete, Get, Patch, Post } from '../edge/routes/route.js';
import type { StreamedResource } from '../edge/routes/streamed.js';
import { BulkContactWrites } from './bulk-contacts.js';
import { ContactExports } from './contact-exports.js';
import { PeopleData } from './person-data.js';

/** The surfaces differ in how PATCH treats custom fields (docs/api-decisions.md §5). */
const customFieldsMode: Record<Surface, UpdateContactById['customFieldsMode']> = {
  v1: 'REPLACE',
  legacy: 'MERGE',
};

@Controller()
export class ContactsController {
  constructor(
    private readonly bus: Bus,
    private readonly people: PeopleData,
    private readonly bulkWrites: BulkContactWrites,
    private readonly exports: ContactExports,
  ) {}

  @Post('contacts', {
    summary: 'Create a contact',
    scope: 'contacts:write',
    body: CreateContact,
    reply: Contact,
    success: 'created',
    errors: [contactExists],
  })
  create({ caller, body }: RouteRequest<CreateContact>): Promise<Contact> {
    return this.bus.call(contacts.create, caller, body);
  }

  @Post('contacts/upsert', {
    summary: 'Create a contact or update the one with this address; custom fields are merged',
    scope: 'contacts:write',
    body: CreateContact,
    reply: Contact,
  })
  upsert({ caller, body }: RouteRequest<CreateContact>): Promise<Contact> {
    return this.bus.call(contacts.upsert, caller, body);
  }

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

  @Delete('contacts/bulk', {
    summary: 'Delete up to 1,000 contacts',
    scope: 'contacts:write',
    body: DeleteContacts,
    reply: DeletedContacts,
    legacySuccess: 'deleted',
    errors: [contactsUnnamed],
    whileDisabled: true,
  })
  deleteMany({ caller, body }: RouteRequest<DeleteContacts>): Promise<DeletedContacts> {
    const { ids = [], emails = [] } = body;
    const timeoutShare = shareFor(ids.length + emails.length);
    return this.bus.call(contacts.deleteMany, caller, body, { timeoutShare });
  }

  @Get('contacts', {
    summary: 'List contacts, newest first',
    scope: 'contacts:read',
    query: ContactFilter,
    listed: 'items',
    reply: Contact,
  })
  list({ caller, query, listPage }: RouteRequest<object, ContactFilter>): Promise<ContactPage> {
    return this.bus.call(contacts.list, caller, { ...query, ...listPage });
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

  @Get('contacts/:id', {
    summary: 'Get a contact',
    scope: 'contacts:read',
    reply: Contact,
    missing: contactNotFound,
  })
  get({ caller, params }: RouteRequest): Promise<Contact> {
    return this.bus.call(contacts.get, caller, { id: params['id']! });
  }

  @Patch('contacts/:id', {
    summary: 'Update a contact; custom fields are replaced on /api/v1 and merged on /api',
    scope: 'contacts:write',
    body: UpdateContact,
    reply: Contact,
    missing: contactNotFound,
  })
  update({ caller, params, body, surface }: RouteRequest<UpdateContact>): Promise<Contact> {
    return this.bus.call(contacts.update, caller, {
      ...body,
      id: params['id']!,
      customFieldsMode: customFieldsMode[surface],
    });
  }

  @Delete('contacts/:id', {
    summary: 'Delete a contact',
    scope: 'contacts:write',
    reply: DeletedContact,
    success: 'deleted',
    missing: contactNotFound,
    whileDisabled: true,
  })
  delete({ caller, params }: RouteRequest): Promise<DeletedContact> {
    return this.bus.call(contacts.delete, caller, { id: params['id']! });
  }

  @Get('contacts/:id/consents', {
    summary: 'List the subscription changes of a contact',
    scope: 'contacts:read',
    listed: 'items',
    reply: Consent,
    missing: contactNotFound,
  })
  consents({ caller, params, listPage }: RouteRequest): Promise<ConsentPage> {
    return this.bus.call(consents.list, caller, { id: params['id']!, ...listPage });
  }

  @Get('contacts/:id/activity', {
    summary: 'List the activity of a contact',
    scope: 'contacts:read',
    listed: 'items',
    reply: Activity,
    missing: contactNotFound,
  })
  activity({ caller, params, listPage }: RouteRequest): Promise<ActivityPage> {
    return this.bus.call(activity.list, caller, { id: params['id']!, ...listPage });
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
