import {
  segmentInUse,
  segmentNameTaken,
  segmentNotFound,
  segmentNotStatic,
  segments,
  segmentUsed,
  tooManySegments,
} from '@posthorn/contracts';
import { shareFor } from '@posthorn/messaging';
import { create, get, list, patch, post, remove, routes } from '../routes/calls.js';

const common = { read: 'segments:read', write: 'segments:write', missing: segmentNotFound } as const;
/** Evaluates a condition for all contacts of the project. */
const waits = { timeoutMs: 30_000 };
const perAddress = ({ emails }: { emails: readonly string[] }) => ({ timeoutShare: shareFor(emails.length) });

export const segmentRoutes = routes('segments', common, {
  create: create(
    'segments',
    segments.create,
    'Create a segment: DYNAMIC with a condition, or STATIC with members added by address',
    { waits, errors: [segmentNameTaken, tooManySegments] },
  ),
  list: list('segments', segments.list, 'List segments, newest first'),
  preview: post(
    'segments/preview',
    segments.preview,
    'Preview a condition: count the contacts it matches and those each filter excludes',
    { waits },
  ),
  get: get('segments/:id', segments.get, 'Get a segment'),
  update: patch('segments/:id', segments.update, 'Update a segment; a new condition recomputes its members', {
    waits,
    errors: [segmentNameTaken],
  }),
  delete: remove('segments/:id', segments.delete, 'Delete a segment that is not in use', {
    waits,
    errors: [segmentInUse, segmentUsed],
  }),
  contacts: list('segments/:id/contacts', segments.contacts, 'List the contacts of a segment, newest first'),
  addMembers: post(
    'segments/:id/members',
    segments.addMembers,
    'Add contacts to a STATIC segment by address',
    { waits: perAddress, errors: [segmentNotStatic] },
  ),
  removeMembers: remove(
    'segments/:id/members',
    segments.removeMembers,
    'Remove contacts from a STATIC segment by address',
    { success: 'done', legacySuccess: 'deleted', waits: perAddress, errors: [segmentNotStatic] },
  ),
});
