export { DevServerError, type Say } from './dev-server-error.js';
export { type DirectoryLock, lockDirectory } from './directory-lock.js';
export { type Inbox, type InboxOptions, startInbox } from './inbox/inbox.js';
export { type NatsOptions, type NatsServer, startNats } from './nats-server.js';
export { type PostgresOptions, type PostgresServer, startPostgres } from './postgres-server.js';
export { natsBinary } from './nats-binary.js';
export { ServiceProcess, type ServiceEnd, type ServiceProcessOptions } from './service-process.js';
export { serviceProgram, startableServices } from './service-programs.js';
export { ServiceSupervisor, type SupervisorOptions } from './service-supervisor.js';
