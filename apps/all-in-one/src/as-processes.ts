import { serviceNames, type ServiceName } from '@posthorn/contracts';
import { ServiceSupervisor, startableServices, type Say, type ServiceProcessOptions } from '@posthorn/dev';
import { ownVariable, type Environment } from '@posthorn/platform';
import { startBalancer, type Balancer } from './balancer.js';
import type { DataDirectory } from './data-directory.js';
import type { ProcessesOptions } from './start-options.js';
import type { Started } from './started.js';

export interface Serving {
  url: string;
  processes: string[];
}

export interface ProcessesParts {
  options: ProcessesOptions;
  environment: Environment;
  directory: DataDirectory;
  port: number;
  report: Say;
}

export async function startAsProcesses(
  { options, environment, directory, port, report: log }: ProcessesParts,
  started: Started,
): Promise<Serving> {
  const supervisor = new ServiceSupervisor({
    report: log,
    onStart: (processes) =>
      directory.writeProcessesFile(processes.map(({ name, pid, adminPort }) => ({ name, pid, adminPort }))),
  });
  let balancer: Balancer | undefined;
  started.add(async () => {
    balancer?.refuse();
    await supervisor.stop();
    await balancer?.stop();
  });
  const replicasOf = (service: ServiceName) => options.replicas[service] ?? 1;
  const balanced = replicasOf('gateway') > 1;
  // With several gateways, the balancer has the public port and the gateways listen on the loopback address.
  const ofGateway = balanced ? { HOST: '127.0.0.1' } : {};
  const processes = await supervisor.start(
    startableServices().flatMap((service) =>
      Array.from({ length: replicasOf(service) }, (_, index): ServiceProcessOptions => {
        const name = replicasOf(service) > 1 ? `${service}.${index + 1}` : service;
        return {
          service,
          name,
          report: (line) => log(`${name} | ${line}`),
          environment: {
            ...environmentOf(service, environment),
            ...(service === 'gateway' ? ofGateway : {}),
          },
          ...(service === 'gateway' && !balanced ? { port } : {}),
        };
      }),
    ),
  );
  const gateways = processes.filter(({ service }) => service === 'gateway');
  if (balanced) balancer = await startBalancer(gateways, { host: environment['HOST'], port });
  return { url: (balancer ?? gateways[0]!).url, processes: processes.map(({ name }) => name) };
}

function environmentOf(service: ServiceName, environment: Environment): Environment {
  const others = serviceNames.filter((other) => other !== service);
  const hidden = new Set(
    others.flatMap((other) => [
      ownVariable(other, 'DATABASE'),
      ownVariable(other, 'DIRECT_DATABASE'),
      ownVariable(other, 'NATS'),
    ]),
  );
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !hidden.has(name)));
}
