export * from './retry.js';
export * from './work-batch.js';
export * from './work-item.entity.js';
export * from './work-items.migration.js';
export * from './work-kind.js';
export * from './work-queue.js';
export * from './work-runner.js';
export * from './work.metrics.js';
