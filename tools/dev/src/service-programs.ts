import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@posthorn/contracts';
import type { Report } from './dev-server-error.js';
import { runningProcess, stopLeftBehind } from './running-process.js';

const above = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
/** Under jest this file is read where it was written, beside `dist`. */
const dist = basename(above) === 'dist' ? above : join(above, 'dist');

/** A service that is missing here does not compile; one that was not built yet is left out. */
const known: Record<ServiceName, true> = {
  sending: true,
  contacts: true,
  analytics: true,
  campaigns: true,
  workflows: true,
  gateway: true,
};

export const serviceProgram = (service: ServiceName): string => join(dist, 'apps', service, 'src', 'main.js');

/** Every service that can be started, the gateway last: it takes nothing that nobody would answer. */
export const startableServices = (): ServiceName[] =>
  (Object.keys(known) as ServiceName[]).filter((service) => existsSync(serviceProgram(service)));

/** Those ids may by now be other programs': only who runs the program of a service is stopped. */
export async function stopServicesLeftBehind(
  processes: readonly { name: string; pid: number }[],
  report: Report,
): Promise<void> {
  const programs = Object.keys(known).map((service) => serviceProgram(service as ServiceName));
  await Promise.all(
    processes.map(async ({ name, pid }) => {
      const found = runningProcess(pid);
      if (!found?.arguments.some((text) => programs.includes(text))) return;
      report(`Stopping ${name} (process ${pid}) that an earlier start left behind`);
      await stopLeftBehind(found, name);
    }),
  );
}
