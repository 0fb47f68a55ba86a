import { nth, waitMs } from '../bench.js';
import { SingleMails } from '../singles.js';
import type { Campaign, CampaignBench } from './campaign.js';

/** After these it is on its way. */
const atLeast = 1_000;

/** Single transactional mails of another project while a campaign is being sent, beside those of an idle system. */
export async function benchSingles(bench: CampaignBench, campaign: Campaign): Promise<void> {
  const { rows, scale, product } = bench;
  const singles = await SingleMails.start(bench, product);
  const times: Record<'idle' | 'busy', number[]> = { idle: [], busy: [] };
  for (let round = 0; round < scale.rounds; round += 1) {
    times.idle.push(nth(await singles.times(`idle-${round}`, scale.requests), 0.99));
    await campaign.request('resume');
    const { sent } = await campaign.progress();
    await campaign.until((progress) => progress.sent >= sent + atLeast);
    times.busy.push(nth(await singles.times(`busy-${round}`, scale.requests), 0.99));
    if ((await campaign.progress()).status !== 'SENDING')
      throw new Error('the campaign was over before the last single mail: it proves nothing');
    await campaign.pause();
  }
  console.log(
    `p99 of single mails: ${times.busy.map(Math.round)} ms beside ${times.idle.map(Math.round)} ms`,
  );
  rows.push({
    name: 'campaigns: p99 ms from accept to hand-off of a transactional mail during a campaign, beside none',
    product: waitMs(times.busy),
    reference: waitMs(times.idle),
    ceilingTimes: 2.5,
  });
}
