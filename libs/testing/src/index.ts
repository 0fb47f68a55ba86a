export * from './eventually.js';
export * from './smtp-sink/smtp-sink.js';
export * from './test-servers.js';
