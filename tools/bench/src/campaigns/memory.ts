import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../audience/api.js';
import type { Bench } from '../bench.js';
import { OneProcess } from '../one-process.js';
import { residentMegabytes, watchMost } from '../resident.js';
import type { Campaign, CampaignBench } from './campaign.js';

/** A look at the pages of a process takes milliseconds. */
const lookEveryMs = 500;

interface Watched {
  stop(): void;
}

/** What every service takes as a process of its own, with NATS. */
export function watchServices({ rows, product, natsPid }: CampaignBench): Watched {
  const memory = watchMost(() => sumOf(product.megabytes()) + residentMegabytes(natsPid), lookEveryMs);
  return {
    stop: () => {
      const each = Object.entries({ ...product.megabytes(), nats: residentMegabytes(natsPid) });
      console.log(
        `memory: ${each.map(([name, megabytes]) => `${name} ${Math.round(megabytes)}`).join(', ')} MB`,
      );
      rows.push({
        name: 'campaigns: memory of six processes and NATS while a campaign is sent, MB',
        product: memory.stop().most,
      });
    },
  };
}

/** What `npm start` takes, with NATS, while the campaign goes on. */
export async function benchMemoryOfOne(
  { servers, rows, scale, natsPid }: Bench,
  { id, audience }: Campaign,
): Promise<void> {
  const one = await OneProcess.start(servers);
  try {
    const api = new Api(one.url, audience.api.projectId, audience.token);
    const memory = watchMost(() => one.megabytes + residentMegabytes(natsPid), lookEveryMs);
    await api.request({ method: 'POST', path: `/api/v1/campaigns/${id}/resume`, headers: api.headers });
    await delay(2 * scale.seconds * 1_000);
    await api.request({ method: 'POST', path: `/api/v1/campaigns/${id}/pause`, headers: api.headers });
    rows.push({
      name: 'campaigns: memory of one process and NATS while a campaign is sent, MB',
      product: memory.stop().most,
      ceiling: 500,
    });
  } finally {
    await one.stop();
  }
}

const sumOf = (megabytes: Record<string, number>): number =>
  Object.values(megabytes).reduce((sum, each) => sum + each, 0);
