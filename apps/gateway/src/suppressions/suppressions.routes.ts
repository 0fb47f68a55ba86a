import {
  csvUnreadable,
  importNotFound,
  maxSuppressionCsv,
  suppressionImports,
  suppressionNotFound,
  suppressions,
  tooManySuppressionImports,
} from '@posthorn/contracts';
import { create, get, post, remove, routes } from '../routes/calls.js';

const common = {
  read: 'suppression:read',
  write: 'suppression:write',
  missing: suppressionNotFound,
} as const;
/** The rows are counted before the response. */
const waits = { timeoutMs: 15_000 };

export const suppressionRoutes = routes('suppressions', common, {
  put: create(
    'suppressions',
    suppressions.put,
    'Suppress an address; an existing suppression keeps its reason',
    { legacyPath: 'suppression', whileDisabled: true },
  ),
  import: post(
    'suppressions/import',
    suppressionImports.start,
    'Suppress a list of addresses from columns email and reason, or from the export of a hosted provider',
    {
      legacyPath: 'suppression/import',
      csvMember: 'csv',
      bodyLimit: maxSuppressionCsv,
      success: 'queued',
      whileDisabled: true,
      waits,
      errors: [() => csvUnreadable(''), tooManySuppressionImports],
    },
  ),
  getImport: get(
    'suppressions/imports/:id',
    suppressionImports.get,
    'Get the progress of a suppression import',
    { legacyPath: 'suppression/imports/:id', missing: importNotFound },
  ),
  get: get('suppressions/:email', suppressions.get, 'Get the suppression of an address', {
    legacyPath: 'suppression/:email',
  }),
  delete: remove(
    'suppressions/:email',
    suppressions.remove,
    'Remove a suppression; also succeeds if the address is not suppressed',
    { legacyPath: 'suppression/:email' },
  ),
});
