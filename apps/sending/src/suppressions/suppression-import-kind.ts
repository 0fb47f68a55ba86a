import { work } from '@posthorn/work';

/** Imports a list of addresses to suppress, by its id. */
export const suppressionImportWork = work('sending.suppression-imports', { exclusive: true, concurrency: 2 });
