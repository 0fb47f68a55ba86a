export * from './admin-server.js';
export * from './commits.js';
export * from './config.js';
export * from './logging.js';
export * from './run-process.js';
export * from './sealing.js';
export * from './service.js';
export * from './service-config.js';
