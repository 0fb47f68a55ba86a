import { work } from '@posthorn/work';

/** By the id of an execution; due when it goes on. Items of one project are read, decided and written together. */
export const executionWork = work('workflows.executions', {
  batch: 256,
  concurrency: 4,
  reserved: 1,
  retry: { attempts: 10, firstMs: 1_000, maxMs: 300_000 },
});
