import { waitMs } from '../bench.js';
import { databaseOf, inDatabase } from '../databases.js';
import type { Audience } from './audiences.js';
import { Campaign, type CampaignBench } from './campaign.js';
import { doneOf, type Progress } from './ledgers.js';
import { ServiceCpu } from './service-cpu.js';

interface Cost {
  /** Milliseconds of the processor for a thousand messages. */
  cpu: number;
  /** Messages a second. */
  rate: number;
}

/** What hand-over and results cost the campaigns service for each message, in a small ledger and in a large one. */
export async function benchCosts(bench: CampaignBench, small: Audience, large: Campaign): Promise<void> {
  const { rows, scale } = bench;
  const costs: Record<'small' | 'large', Cost[]> = { small: [], large: [] };
  // Of the first no figure is kept: what is not compiled yet is no part of its cost.
  await costOfWhole(bench, small);
  for (let round = 0; round < scale.rounds; round += 1) {
    const turns = {
      small: () => costOfWhole(bench, small),
      large: () => costOfPart(bench, large),
    };
    const order = ['small', 'large'] as const;
    for (const size of round % 2 === 0 ? order : [...order].reverse()) {
      const cost = await turns[size]();
      costs[size].push(cost);
      console.log(
        `${size} ledger: ${cost.cpu.toFixed(0)} ms of the processor for 1000 messages, ${cost.rate.toFixed(0)} messages/s`,
      );
    }
  }
  const of = (size: keyof typeof costs, member: keyof Cost) =>
    waitMs(costs[size].map((cost) => cost[member]));
  const [many, few] = [large.audience.contacts, small.contacts];
  rows.push(
    {
      name: `campaigns: CPU ms of hand-over and results for 1000 of ${many} recipients, beside ${few}`,
      product: of('large', 'cpu'),
      reference: of('small', 'cpu'),
      ceilingTimes: 1.15,
    },
    {
      name: `campaigns: messages/s in a ledger of ${many}, beside ${few}`,
      product: of('large', 'rate'),
      reference: of('small', 'rate'),
    },
  );
}

async function costOfWhole(bench: CampaignBench, audience: Audience): Promise<Cost> {
  const campaign = await Campaign.frozen(bench.ledgers, audience);
  return costOf(bench, campaign, async () => {
    await campaign.request('resume');
    await campaign.untilSent();
  });
}

/** As many messages as the small ledger has, after as many: first is repeated what was in hand when it was paused. */
async function costOfPart(bench: CampaignBench, campaign: Campaign): Promise<Cost> {
  const { ledger } = bench.scale;
  const before = doneOf(await campaign.progress());
  await campaign.request('resume');
  await campaign.until((progress) => doneOf(progress) >= before + ledger);
  const cost = await costOf(
    bench,
    campaign,
    async () => void (await campaign.until((progress) => doneOf(progress) >= before + 2 * ledger)),
  );
  await campaign.pause();
  return cost;
}

/** A message counts half when it is handed over and half when it has its outcome, for the two are not the same ones. */
function costOf(
  { servers, product }: CampaignBench,
  campaign: Campaign,
  work: () => Promise<void>,
): Promise<Cost> {
  return inDatabase(databaseOf(servers.databaseUrl, 'campaigns'), async (client) => {
    const before = stepsOf(await campaign.progress());
    const cpu = await ServiceCpu.start(client, product.pidOf('campaigns'));
    const began = performance.now();
    await work();
    const seconds = (performance.now() - began) / 1_000;
    const used = await cpu.stop();
    const messages = (stepsOf(await campaign.progress()) - before) / 2;
    return { cpu: (used * 1_000) / (messages / 1_000), rate: messages / seconds };
  });
}

const stepsOf = (progress: Progress): number => 2 * doneOf(progress) + progress.inHand;
