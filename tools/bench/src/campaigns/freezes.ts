import { waitMs } from '../bench.js';
import type { Audience } from './audiences.js';
import { Campaign, type CampaignBench } from './campaign.js';

interface Rounds {
  product: number[];
  reference: number[];
}

/** The audience of a campaign into its ledger, beside one statement that copies such a ledger by hand; returns the campaigns, which are paused. */
export async function benchFreezes(bench: CampaignBench, audience: Audience): Promise<Campaign[]> {
  const { rows, scale, ledgers } = bench;
  const seconds: Rounds = { product: [], reference: [] };
  const campaigns: Campaign[] = [];
  const sides = {
    product: async () => {
      await ledgers.client.query('CHECKPOINT');
      const began = performance.now();
      campaigns.push(await Campaign.frozen(ledgers, audience));
      seconds.product.push((performance.now() - began) / 1_000);
    },
    reference: async () => void seconds.reference.push(await byHand(bench, campaigns[0]!)),
  };
  for (let round = 0; round < scale.rounds; round += 1) {
    // By hand the rows of a campaign are copied, so the first turn is the product's.
    const order = ['product', 'reference'] as const;
    for (const side of round % 2 === 0 ? order : [...order].reverse()) await sides[side]();
  }
  const perSecond = (times: number[]) => audience.contacts / waitMs(times);
  console.log(`freeze: ${seconds.product.map(shown)} s beside ${seconds.reference.map(shown)} s`);
  rows.push({
    name: `campaigns: freeze of ${audience.contacts} contacts into the ledger, rows/s`,
    product: perSecond(seconds.product),
    reference: perSecond(seconds.reference),
    floorPercent: 25,
  });
  return campaigns;
}

/** The same rows into a table with the same indexes. */
async function byHand({ ledgers: { client } }: CampaignBench, campaign: Campaign): Promise<number> {
  await client.query('DROP TABLE IF EXISTS ledger_by_hand');
  await client.query('CREATE TABLE ledger_by_hand (LIKE recipients INCLUDING ALL)');
  await client.query('CHECKPOINT');
  const began = performance.now();
  await client.query(
    `INSERT INTO ledger_by_hand SELECT * FROM recipients WHERE project_id = $1 AND campaign_id = $2 ORDER BY contact_id`,
    [campaign.audience.api.projectId, campaign.id],
  );
  const seconds = (performance.now() - began) / 1_000;
  await client.query('DROP TABLE ledger_by_hand');
  return seconds;
}

const shown = (seconds: number): string => seconds.toFixed(1);
