export * from './metrics.js';
export * from './open-tracing.js';
export * from './span.js';
export * from './trace-point.js';
export * from './tracing.js';
