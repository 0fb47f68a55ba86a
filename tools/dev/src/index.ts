export { DevServerError, type Report as Say } from './dev-server-error.js';
export { lockDirectory } from './directory-lock.js';
export { chooseQuietPort, preferPort, refuseTakenPort } from './free-port.js';
export { type Inbox, startInbox } from './inbox/inbox.js';
export { type NatsServer, startNats } from './nats-server.js';
export {
  startOtlpReceiver,
  startOtlpServer,
  type OtlpReceiver,
  type OtlpServer,
  type ReceivedSpan,
} from './otlp-receiver.js';
export { type PostgresOptions, type PostgresServer, startPostgres } from './postgres/postgres-server.js';
export { byWayOf, poolerBinary, startPooler } from './postgres/pooler-server.js';
export { startStandby } from './postgres/postgres-standby.js';
export { natsBinary } from './nats-binary.js';
export { runningProcess } from './running-process.js';
export { describeEnd } from './process-end.js';
export { ServiceProcess, type ServiceProcessOptions } from './service-process.js';
export { startableServices, stopServicesLeftBehind } from './service-programs.js';
export { ServiceSupervisor } from './service-supervisor.js';
export { SupervisedServer, type EmbeddedServer } from './supervised-server.js';
