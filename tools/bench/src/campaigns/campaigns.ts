import type { Bench } from '../bench.js';
import { databaseOf, inDatabase } from '../databases.js';
import { Product } from '../product.js';
import { timed } from '../timed.js';
import { makeAudiences } from './audiences.js';
import type { Campaign } from './campaign.js';
import { benchCosts } from './costs.js';
import { benchCampaignDrains } from './drains.js';
import { benchFreezes } from './freezes.js';
import { Ledgers } from './ledgers.js';
import { benchMemoryOfOne } from './memory.js';
import { benchSingles } from './singles.js';
import { benchStops } from './stops.js';

/** Campaigns beside what the same work takes without them: freeze, hand-over and results, drain, other mail meanwhile, pause and cancellation. */
export async function benchCampaigns(bench: Bench): Promise<void> {
  const product = await Product.start(bench.servers);
  const campaign = await benchServices(bench, product).finally(() => product.stop());
  await benchMemoryOfOne(bench, campaign);
}

/** Each service is a process of its own. Returns a campaign that is paused and far from its end. */
async function benchServices(bench: Bench, product: Product): Promise<Campaign> {
  const { servers, scale } = bench;
  const sizes = [scale.ledger, scale.campaign, scale.audiences.at(-1)!];
  const [small, drained, large] = await timed('audiences', () => makeAudiences(servers, product, sizes));
  return inDatabase(databaseOf(servers.databaseUrl, 'campaigns'), async (client) => {
    const all = { ...bench, product, ledgers: new Ledgers(client) };
    const [campaign] = await timed('freezes', () => benchFreezes(all, large!));
    await timed('costs', () => benchCosts(all, small!, campaign!));
    await timed('single mails', () => benchSingles(all, campaign!));
    await timed('stops', () => benchStops(all, campaign!, drained!));
    await timed('drains', () => benchCampaignDrains(all, drained!));
    await all.ledgers.agree();
    return campaign!;
  });
}
