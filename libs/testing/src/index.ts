export * from './database-line.js';
export * from './eventually.js';
export * from './fact-source.js';
export * from './sending-project.js';
export * from './service-ground.js';
export * from './smtp-sink/smtp-sink.js';
export * from './stand-in.js';
export * from './test-servers.js';
