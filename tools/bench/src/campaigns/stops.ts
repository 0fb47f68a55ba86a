import { setTimeout as delay } from 'node:timers/promises';
import { waitMs } from '../bench.js';
import type { Audience } from './audiences.js';
import { Campaign, type CampaignBench } from './campaign.js';
import { watchServices } from './memory.js';

/** After this no message comes that was on its way. */
const restMs = 3_000;
/** After these a campaign is on its way. */
const atLeast = 500;

/** How soon a pause and a cancellation hold, and what memory the services take meanwhile. */
export async function benchStops(bench: CampaignBench, paused: Campaign, cancelled: Audience): Promise<void> {
  const memory = watchServices(bench);
  const [pauses, cancellations]: [number[], number[]] = [[], []];
  for (let round = 0; round < bench.scale.rounds; round += 1) {
    await paused.request('resume');
    await delay(bench.scale.seconds * 1_000);
    pauses.push(await stop(bench, paused, 'pause'));
  }
  for (let round = 0; round < bench.scale.rounds; round += 1) {
    const campaign = await Campaign.frozen(bench.ledgers, cancelled);
    const arrivals = bench.sink.measure(atLeast);
    await campaign.request('resume');
    await arrivals;
    cancellations.push(await stop(bench, campaign, 'cancel'));
    await campaign.until(({ total, sent, skipped, failed }) => sent + skipped + failed === total);
  }
  memory.stop();
  const name = (transition: string) =>
    `campaigns: s from the request of a ${transition} to the last hand-off`;
  bench.rows.push(
    { name: name('pause'), product: waitMs(pauses), ceiling: 2 },
    { name: name('cancellation'), product: waitMs(cancellations), ceiling: 2 },
  );
}

/** Seconds; zero where nothing arrived after the request. */
async function stop(
  { sink }: CampaignBench,
  campaign: Campaign,
  transition: 'pause' | 'cancel',
): Promise<number> {
  const began = Date.now();
  await campaign.request(transition);
  const answered = Date.now();
  await delay(restMs);
  const last = await sink.lastArrival();
  console.log(`${transition}: answered after ${answered - began} ms, last hand-off after ${last - began} ms`);
  if (last > answered + restMs / 2)
    throw new Error(`mail still arrived ${last - answered} ms after the answer`);
  return Math.max(0, last - began) / 1_000;
}
