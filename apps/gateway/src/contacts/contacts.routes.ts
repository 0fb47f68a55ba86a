import {
  activity,
  consents,
  contactExists,
  contactImports,
  contactNotFound,
  contacts,
  contactsUnnamed,
  erasureNotFound,
  erasures,
  importNotFound,
  UpdateContact,
  type UpdateContactById,
} from '@posthorn/contracts';
import { shareFor } from '@posthorn/messaging';
import { create, get, list, patch, post, remove, routes } from '../routes/calls.js';
import type { RouteRequest, Surface } from '../routes/route-request.js';

/** The surfaces differ in how PATCH treats custom fields (docs/api-decisions.md §5). */
const customFieldsMode: Record<Surface, UpdateContactById['customFieldsMode']> = {
  v1: 'REPLACE',
  legacy: 'MERGE',
};

const common = { read: 'contacts:read', write: 'contacts:write', missing: contactNotFound } as const;

export const contactRoutes = routes('contacts', common, {
  create: create('contacts', contacts.create, 'Create a contact', { errors: [contactExists] }),
  upsert: post(
    'contacts/upsert',
    contacts.upsert,
    'Create a contact or update the one with this address; custom fields are merged',
  ),
  deleteMany: remove('contacts/bulk', contacts.deleteMany, 'Delete up to 1,000 contacts', {
    success: 'done',
    legacySuccess: 'deleted',
    whileDisabled: true,
    waits: ({ ids = [], emails = [] }) => ({ timeoutShare: shareFor(ids.length + emails.length) }),
    errors: [contactsUnnamed],
  }),
  list: list('contacts', contacts.list, 'List contacts, newest first'),
  get: get('contacts/:id', contacts.get, 'Get a contact'),
  update: patch(
    'contacts/:id',
    contacts.update,
    'Update a contact; custom fields are replaced on /api/v1 and merged on /api',
    {
      body: UpdateContact,
      also: { customFieldsMode: ({ surface }: RouteRequest) => customFieldsMode[surface] },
    },
  ),
  delete: remove('contacts/:id', contacts.delete, 'Delete a contact', { whileDisabled: true }),
  consents: list('contacts/:id/consents', consents.list, 'List the subscription changes of a contact'),
  activity: list('contacts/:id/activity', activity.list, 'List the activity of a contact'),
});

/** What is stored of a table is shown to those who may upload one. */
const writers = { read: 'contacts:write', write: 'contacts:write' } as const;

export const erasureRoutes = routes(
  'erasures',
  { ...writers, missing: erasureNotFound },
  {
    get: get('erasures/:id', erasures.get, 'Get the progress of an erasure by the id of the deleted contact'),
  },
);

export const importRoutes = routes(
  'imports',
  { ...writers, missing: importNotFound },
  {
    list: list('contacts/imports', contactImports.list, 'List imports, newest first'),
    cancel: post(
      'contacts/imports/:id/cancel',
      contactImports.cancel,
      'Cancel an import; imported rows stay, and a finished import is returned unchanged',
      { whileDisabled: true },
    ),
  },
);
