import type { Say } from '@posthorn/dev';
import { ProcessCalls } from '@posthorn/messaging';
import type { Environment, RunningService } from '@posthorn/platform';
import { startAnalytics } from '../../analytics/src/service.js';
import { startCampaigns } from '../../campaigns/src/service.js';
import { startContacts } from '../../contacts/src/service.js';
import { startGateway, type RunningGateway } from '../../gateway/src/service.js';
import { startSending } from '../../sending/src/service.js';
import { startWorkflows } from '../../workflows/src/service.js';
import type { Started } from './started.js';

/** The gateway starts last and stops first, so that it accepts no request without the services behind it. */
export async function startInOneProcess(
  environment: Environment,
  started: Started,
  report: Say,
): Promise<RunningGateway> {
  const calls = new ProcessCalls();
  const options = { environment: { ...environment, ADMIN_PORT: '0' }, report, calls };
  const after = await Promise.allSettled<RunningService>([
    startSending({ ...options, processMetrics: false }),
    startContacts({ ...options, processMetrics: false }),
    startCampaigns({ ...options, processMetrics: false }),
    startWorkflows({ ...options, processMetrics: false }),
    startAnalytics({ ...options, processMetrics: false }),
  ]);
  for (const service of after) if (service.status === 'fulfilled') started.add(service.value.stop);
  const failed = after.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
  const gateway = await startGateway({ environment, report, calls });
  started.add(gateway.stop);
  return gateway;
}
