import type { Type } from '@nestjs/common';
import type { ServiceName } from '@posthorn/contracts';
import type { DatabaseOptions, PartitionPlan } from '@posthorn/database';
import type { Patience, ProcessCalls } from '@posthorn/messaging';
import type { ConfigShape, Environment } from './config.js';
import type { ServiceConfig } from './service-config.js';

export interface ServiceParts<C extends ServiceConfig> {
  name: ServiceName;
  config: ConfigShape<C>;
  module: Type;
  entities: DatabaseOptions['entities'];
  migrations: DatabaseOptions['migrations'];
  partitions?: (config: C) => PartitionPlan[];
}

export interface StartOptions {
  environment: Environment;
  report?: (line: string) => void;
  /** Report metrics of the process; only one service per process may. */
  processMetrics?: boolean;
  /** What the services of the process answer one another without NATS; none where each has a process of its own. */
  calls?: ProcessCalls;
  /** How long to wait for NATS; a minute unless given. */
  patience?: Omit<Patience, 'report'>;
}
