import { work } from '@posthorn/work';

/** A table of contacts, by its import's id: due when its upload is complete, or when the upload must be taken for broken off. */
export const importWork = work('contacts.imports', { exclusive: true, concurrency: 2 });

/** The bytes of a table whose import has ended, by its import's id. */
export const importPurgeWork = work('contacts.import-purges', {
  concurrency: 2,
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});

/** The cells of an import's rejected rows, by its import's id: due when they have been offered for correction for long enough. */
export const rejectedRowsWork = work('contacts.import-rejected-rows', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 60_000 },
});
