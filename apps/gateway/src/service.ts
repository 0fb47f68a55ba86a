import { AsyncLocalStorage } from 'node:async_hooks';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { DynamicModule } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { BusServer, runAsService } from '@posthorn/messaging';
import {
  closeResources,
  resourcesModule,
  openService,
  runBackground,
  type RunningService,
  type ServiceResources,
  type ServiceParts,
  type StartOptions,
} from '@posthorn/platform';
import { GatewayConfig } from './config.js';
import { entities, migrations } from './data-source.js';
import { drainServer } from './wire/drain.js';
import { EdgeAdapter } from './wire/fastify.js';
import { LiveStreams } from './live/live-streams.js';
import { Registrar } from './pipeline/registrar.js';
import { GatewayModule } from './gateway.module.js';

const parts: ServiceParts<GatewayConfig> = {
  name: 'gateway',
  config: GatewayConfig,
  module: GatewayModule,
  entities,
  migrations,
};

export interface RunningGateway extends RunningService {
  url: string;
  port: number;
  served: EdgeAdapter['served'];
}

export const startGateway = (options: StartOptions): Promise<RunningGateway> =>
  runAsService(parts.name, () => start(options));

/** The HTTP server and the bus handlers share one Nest application. */
async function start(options: StartOptions): Promise<RunningGateway> {
  const resources = await openService(parts, options);
  const app = await build(resources);
  await app.startAllMicroservices();
  await app.listen(resources.config.port, resources.config.host);
  const { port } = app.getHttpServer().address() as AddressInfo;
  const extra = await runBackground(parts, resources);
  return {
    name: parts.name,
    adminPort: extra.admin.port,
    port,
    served: (app.getHttpAdapter() as unknown as EdgeAdapter).served,
    url: `http://${hostOf(resources.config.host)}:${port}`,
    stop: AsyncLocalStorage.bind(async () => {
      extra.drain();
      app.get(Registrar).drain();
      await app.get(LiveStreams).drain();
      await delay(resources.config.drainMs);
      await drainServer(app.getHttpServer(), Math.max(10_000, 2 * resources.config.answerWithinMs));
      await app.close();
      await extra.stop();
      await closeResources(resources);
    }),
  };
}

async function build(resources: ServiceResources<GatewayConfig>): Promise<NestFastifyApplication> {
  const { config, logger } = resources;
  const root: DynamicModule = {
    module: class ServiceModule {},
    imports: [resourcesModule(parts, resources), GatewayModule],
  };
  const app = await NestFactory.create<NestFastifyApplication>(
    root,
    new EdgeAdapter({ trustedProxies: config.trustedRanges }),
    {
      bodyParser: false,
      logger,
      abortOnError: false,
    },
  );
  const strategy = new BusServer({ service: parts.name, ...resources });
  strategy.addHandlersOf(app.get(ModulesContainer));
  app.connectMicroservice({ strategy });
  return app;
}

const hostOf = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
