import { work } from '@posthorn/work';

/** One item of a project that has texts to render; each project has one place, and gives it back after a turn. */
export const textWork = work('workflows.texts', {
  concurrency: 8,
  spread: true,
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: 30_000 },
});

export const textItem = (projectId: string) => ({ projectId, key: 'texts' });
