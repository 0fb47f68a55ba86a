import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { waitMs, type Bench } from '../bench.js';
import { databaseOf, inDatabase } from '../databases.js';
import { measured } from '../hand-off.js';
import { fill } from '../load.js';
import { Product, type Servers } from '../product.js';
import { makeAudiences, nthReader, type Audience } from './audiences.js';

/** How far a campaign has come. */
interface Progress {
  isFrozen: boolean;
  status: string;
  total: number;
  inHand: number;
  sent: number;
  skipped: number;
  failed: number;
  delivered: number;
}

interface CampaignBench extends Bench {
  product: Product;
  /** Connected to the database of campaigns. */
  client: pg.Client;
}

const paused = { DELIVERY_PAUSED: 'true' };
const checkEveryMs = 50;
const countEveryMs = 500;
const maxTries = 240;
const restMs = 3_000;
/** Handed over before its turn begins. */
const aheadOfTurn = 2_000;

/** How soon a campaign sends its first mail, and its drain beside that of the same mails accepted before. */
export async function benchCampaigns(bench: Bench): Promise<void> {
  const { servers, scale } = bench;
  await Product.during(servers, {}, async (product) => {
    const [small, drained] = await makeAudiences(servers, product, [scale.ledger, scale.campaign]);
    await inDatabase(databaseOf(servers.databaseUrl, 'campaigns'), async (client) => {
      const all = { ...bench, product, client };
      await benchFirstMails(all, small!);
      await benchDrains(all, drained!);
      await agreeOnLedgers(client);
    });
  });
}

/** One campaign to a whole audience. */
class Campaign {
  private constructor(
    private readonly client: pg.Client,
    readonly audience: Audience,
    private readonly id: string,
  ) {}

  static async create(client: pg.Client, audience: Audience): Promise<Campaign> {
    const { id } = await audience.api.post<{ id: string }>('/api/v1/campaigns', {
      name: 'Bench',
      template_id: audience.template,
      audience_type: 'ALL',
    });
    return new Campaign(client, audience, id);
  }

  async request(transition: 'send' | 'pause' | 'resume'): Promise<void> {
    const { api } = this.audience;
    const path = `/api/v1/campaigns/${this.id}/${transition}`;
    await api.request({ method: 'POST', path, headers: api.headers });
  }

  until(isReached: (progress: Progress) => boolean): Promise<Progress> {
    return untilReached(this.client, this.audience.api.projectId, this.id, isReached);
  }

  /** With a ledger that is complete, and paused before it was. */
  async freeze(): Promise<void> {
    await this.request('send');
    await this.request('pause');
    const { total } = await this.until(({ isFrozen }) => isFrozen);
    const { contacts } = this.audience;
    if (total !== contacts) throw new Error(`the ledger has ${total} rows for ${contacts} contacts`);
  }

  /** Everybody has his mail, and it was delivered. */
  async untilSent(): Promise<void> {
    const { contacts } = this.audience;
    const { sent } = await this.until(
      ({ status, delivered, failed }) => status === 'SENT' && delivered + failed >= contacts,
    );
    if (sent !== contacts) throw new Error(`the campaign sent ${sent} of ${contacts} messages`);
  }

  /** Waits until what was in flight has arrived, and its events. */
  async pause(): Promise<void> {
    await this.request('pause');
    await delay(restMs);
  }
}

/** What the campaigns service has written, read past it. */
export async function untilReached(
  client: pg.Client,
  projectId: string,
  id: string,
  isReached: (progress: Progress) => boolean,
  timeoutMs = 900_000,
): Promise<Progress> {
  const sql = `SELECT l.is_frozen AS "isFrozen", c.status, n.total, n.in_hand AS "inHand", n.sent, n.skipped, n.failed, n.delivered
    FROM campaigns c JOIN launches l ON l.project_id = c.project_id AND l.campaign_id = c.id
    JOIN campaign_counts n ON n.project_id = c.project_id AND n.campaign_id = c.id WHERE c.project_id = $1 AND c.id = $2`;
  for (const deadline = performance.now() + timeoutMs; ; await delay(checkEveryMs)) {
    const progress = (await client.query<Progress>(sql, [projectId, id])).rows[0]!;
    if (isReached(progress)) return progress;
    if (performance.now() > deadline)
      throw new Error(`campaign ${id} has come no further: ${JSON.stringify(progress)}`);
  }
}

/** From the request that sends it until the mail server has a mail of it. */
async function benchFirstMails(
  { client, sink, scale, rows }: CampaignBench,
  audience: Audience,
): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < scale.rounds; round += 1) {
    const campaign = await Campaign.create(client, audience);
    const arrival = sink.measure(1);
    const began = performance.now();
    await campaign.request('send');
    await arrival;
    times.push(performance.now() - began);
    await campaign.untilSent();
  }
  const name = `campaigns: ms from the request to the first mail of ${audience.contacts}`;
  rows.push({ name, product: waitMs(times) });
}

/** The same mails to the same people: through a campaign, and accepted before. Of both, each turn drains its part. */
async function benchDrains(bench: CampaignBench, audience: Audience): Promise<void> {
  const { rows, scale, product, servers } = bench;
  const campaign = await Campaign.create(bench.client, audience);
  await campaign.freeze();
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
  const before = doneOf(await campaign.until(() => true));
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

const doneOf = ({ sent, skipped, failed }: Progress): number => sent + skipped + failed;

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
    while ((await client.query(waiting, [api.projectId])).rowCount! > 0) await delay(countEveryMs);
  });
  return perSecond;
}

interface Counts {
  emails: number;
  delivered: number;
}

const storedSql = `SELECT count(*)::int AS emails, (count(*) FILTER (WHERE status = 'DELIVERED'))::int AS delivered FROM emails WHERE status <> 'VOIDED'`;
const countedSql = `SELECT coalesce(sum(accepted), 0)::int AS emails, coalesce(sum(delivered), 0)::int AS delivered
  FROM (SELECT accepted, delivered FROM mail_counts WHERE kind = 'all' AND NOT hourly UNION ALL SELECT accepted, delivered FROM mail_count_deltas WHERE kind = 'all' AND live) AS counts`;

/** The events of all mail have arrived, so that the next turn begins with nothing else to do. */
async function untilCounted({ databaseUrl }: Servers): Promise<void> {
  await inDatabase(databaseOf(databaseUrl, 'sending'), (sending) =>
    inDatabase(databaseOf(databaseUrl, 'analytics'), async (analytics) => {
      for (let tries = 0; ; tries += 1) {
        const [there] = (await sending.query<Counts>(storedSql)).rows;
        const [counted] = (await analytics.query<Counts>(countedSql)).rows;
        if (there!.emails === counted!.emails && there!.delivered === counted!.delivered) return;
        if (tries > maxTries) throw new Error(`the rows disagree: ${JSON.stringify({ there, counted })}`);
        await delay(countEveryMs);
      }
    }),
  );
}

/** The sums of every ledger beside a recount: nothing was measured that was not done. */
async function agreeOnLedgers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ kept: number[]; counted: number[] }>(
    `SELECT array[n.total, n.sent, n.skipped, n.failed, n.delivered] AS kept, array[r.total, r.sent, r.skipped, r.failed, r.delivered] AS counted
     FROM campaign_counts n JOIN (
       SELECT project_id, campaign_id, count(*)::int AS total, (count(*) FILTER (WHERE outcome = 'SENT'))::int AS sent,
         (count(*) FILTER (WHERE outcome = 'SKIPPED'))::int AS skipped, (count(*) FILTER (WHERE outcome = 'FAILED'))::int AS failed,
         (count(*) FILTER (WHERE reported_bits & 1 <> 0))::int AS delivered
       FROM recipients GROUP BY project_id, campaign_id
     ) AS r USING (project_id, campaign_id)`,
  );
  for (const { kept, counted } of rows)
    if (kept.join() !== counted.join())
      throw new Error(`a ledger disagrees with its sums: ${kept.join()} kept, ${counted.join()} counted`);
  console.log(`rows: the sums of ${rows.length} ledgers are those of their rows`);
}
