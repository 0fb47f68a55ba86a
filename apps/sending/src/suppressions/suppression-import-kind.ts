import { work } from '@posthorn/work';

/** A list of addresses to suppress, by its import's id. */
export const suppressionImportWork = work('sending.suppression-imports', { exclusive: true, concurrency: 2 });
