export * from './runner/repeated-work.js';
export * from './queue/work-kind.js';
export type { WorkItem } from './queue/claimed-columns.js';
export * from './runner/work-batch.js';
export * from './queue/work-states.js';
export * from './queue/work-items.migration.js';
export * from './queue/work-queue.js';
export * from './runner/work-runner.js';
export * from './runner/work.metrics.js';
