import { work } from '@posthorn/work';

/** By the id of the import: due when its upload is complete, or when the upload has timed out. */
export const importWork = work('contacts.imports', { exclusive: true, concurrency: 2 });

/** Deletes the uploaded bytes of an import that has ended, by its id. */
export const importPurgeWork = work('contacts.import-purges', {
  concurrency: 2,
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});

/** Deletes the rejected rows of an import, by its id, at the end of their retention. */
export const rejectedRowsWork = work('contacts.import-rejected-rows', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});
