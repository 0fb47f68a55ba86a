import type { Bench } from '../../bench.js';
import { makeAudiences } from '../../campaigns/audiences.js';
import { Ledgers } from '../../campaigns/ledgers.js';
import { databaseOf, inDatabase } from '../../databases.js';
import { Product } from '../../product.js';
import { recordPlans } from '../recorded-calls.js';
import { campaignSteps } from './campaign-steps.js';
import { fractionOfOthers, storeLedgers } from './ledger-rows.js';
import { makeGroups } from './lists.js';

/** Every statement of campaigns, and of contacts for them; fails where a request reads a whole table, or most of one ledger. */
export async function writeCampaignPlans(bench: Bench): Promise<void> {
  const { servers, scale } = bench;
  const contacts = scale.audiences.at(-1)!;
  const product = await Product.start(servers);
  try {
    const [audience] = await makeAudiences(servers, product, [contacts]);
    const groups = await makeGroups(servers, audience!);
    const stored = await storeLedgers(servers, audience!);
    await inDatabase(databaseOf(servers.databaseUrl, 'campaigns'), (client) =>
      recordPlans(bench, product, {
        services: ['campaigns', 'contacts'],
        page: 'dist/campaign-plans.md',
        head: {
          script: 'npm run plans:campaigns',
          title: 'Plans of campaigns',
          text: `Every statement that the campaigns and contacts services asked while each route of campaigns was called, in a project of ${contacts} contacts and thousands of campaigns, one of
which has a ledger of ${contacts} rows; three ledgers beside it have a quarter as many. What follows of a call by itself, as freeze, hand-over and results, stands with it.`,
        },
        api: audience!.api,
        steps: () => campaignSteps({ ...groups, audience: audience!, ledgers: new Ledgers(client), stored }),
        parts: { recipients: Math.floor(contacts / fractionOfOthers) },
      }),
    );
  } finally {
    await product.stop();
  }
}
