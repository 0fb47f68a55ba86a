import { work } from '@posthorn/work';

export const suppressionImportWork = work('sending.suppression-imports', { exclusive: true, concurrency: 2 });
