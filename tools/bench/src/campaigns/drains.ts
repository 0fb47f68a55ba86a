import { setTimeout as delay } from 'node:timers/promises';
import { waitMs } from '../bench.js';
import { databaseOf, inDatabase } from '../databases.js';
import { measured } from '../hand-off.js';
import { fill } from '../load.js';
import type { Servers } from '../product.js';
import { nthReader, type Audience } from './audiences.js';
import { Campaign, type CampaignBench } from './campaign.js';
import { doneOf } from './ledgers.js';

const paused = { DELIVERY_PAUSED: 'true' };
const checkEveryMs = 500;
const maxTries = 240;
/** Handed over before its turn begins. */
const aheadOfTurn = 2_000;

/** The same mails to the same people: through a campaign, and accepted before. Of both, each turn drains its part. */
export async function benchCampaignDrains(bench: CampaignBench, audience: Audience): Promise<void> {
  const { rows, scale, product, servers } = bench;
  const campaign = await Campaign.frozen(bench.ledgers, audience);
  const part = Math.ceil(audience.contacts / scale.rounds);
  const rates: Record<'product' | 'reference', number[]> = { product: [], reference: [] };
  const sides = {
    product: () => throughCampaign(bench, campaign, part),
    reference: (round: number) => acceptedBefore(bench, audience, round * part, part),
  };
  for (let round = 0; round < scale.rounds; round += 1) {
    const order = ['product', 'reference'] as const;
    for (const side of round % 2 === 0 ? order : [...order].reverse()) {
      await product.restart('sending', paused);
      const rate = await sides[side](round);
      rates[side].push(rate);
      console.log(`drain, ${side}: ${rate.toFixed(0)} messages/s`);
      await untilCounted(servers);
    }
  }
  rows.push({
    name: `campaigns: hand-off/s of ${audience.contacts} mails through a campaign, beside the same accepted before`,
    product: waitMs(rates.product),
    reference: waitMs(rates.reference),
    floorPercent: 80,
  });
}

async function throughCampaign(bench: CampaignBench, campaign: Campaign, part: number): Promise<number> {
  const before = doneOf(await campaign.progress());
  const { contacts } = campaign.audience;
  const count = Math.min(part, contacts - before);
  await campaign.request('resume');
  await campaign.until(({ inHand }) => inHand >= Math.min(aheadOfTurn, count));
  const rate = measured(bench, count);
  await bench.product.restart('sending', {});
  const perSecond = await rate;
  await campaign.until((progress) => doneOf(progress) >= before + count);
  if (before + count < contacts) await campaign.pause();
  else await campaign.untilSent();
  return perSecond;
}

/** Those of the readers from one on. */
async function acceptedBefore(
  bench: CampaignBench,
  { api, token, template }: Audience,
  from: number,
  count: number,
): Promise<number> {
  const { servers, product } = bench;
  let next = from;
  await fill(product.url, token, count, { template }, () => nthReader((next += 1)));
  await untilCounted(servers);
  const rate = measured(bench, count);
  await product.restart('sending', {});
  const perSecond = await rate;
  await inDatabase(databaseOf(servers.databaseUrl, 'sending'), async (client) => {
    const waiting = `SELECT FROM deliveries WHERE project_id = $1 AND campaign_id IS NULL AND state IN ('QUEUED', 'HELD', 'CLAIMED', 'HANDOFF', 'AMBIGUOUS') LIMIT 1`;
    while ((await client.query(waiting, [api.projectId])).rowCount! > 0) await delay(checkEveryMs);
  });
  return perSecond;
}

/** The events of all mail have arrived, so that the next turn begins with nothing else to do. */
async function untilCounted({ databaseUrl }: Servers): Promise<void> {
  await inDatabase(databaseOf(databaseUrl, 'sending'), (sending) =>
    inDatabase(databaseOf(databaseUrl, 'analytics'), async (analytics) => {
      for (let tries = 0; ; tries += 1) {
        const [there] = (await sending.query<Counts>(storedSql)).rows;
        const [counted] = (await analytics.query<Counts>(countedSql)).rows;
        if (there!.emails === counted!.emails && there!.delivered === counted!.delivered) return;
        if (tries > maxTries) throw new Error(`the rows disagree: ${JSON.stringify({ there, counted })}`);
        await delay(checkEveryMs);
      }
    }),
  );
}

interface Counts {
  emails: number;
  delivered: number;
}

const storedSql = `SELECT count(*)::int AS emails, (count(*) FILTER (WHERE status = 'DELIVERED'))::int AS delivered FROM emails WHERE status <> 'VOIDED'`;
const countedSql = `SELECT coalesce(sum(emails), 0)::int AS emails, coalesce(sum(delivered), 0)::int AS delivered FROM daily_counts`;
