import { work } from '@posthorn/work';

/** By the id of the import: due when its upload is complete, or when the upload has timed out. */
export const importWork = work('contacts.imports', { exclusive: true, concurrency: 2 });

export const importPurgeWork = work('contacts.import-purges', {
  concurrency: 2,
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});

export const rejectedRowsWork = work('contacts.import-rejected-rows', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});
