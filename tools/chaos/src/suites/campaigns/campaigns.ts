import { setTimeout as delay } from 'node:timers/promises';
import type { Lock } from '../../faults/lock-trap.js';
import { readSinkLedger } from '../../judging/ledger.js';
import { workLeft } from '../../judging/work-books.js';
import { untilQuiet } from '../../product.js';
import { Random } from '../../random.js';
import { judgeCounts } from '../../judging/finding.js';
import { CountsWatch, judgeRest, unfinishedOf } from '../rest.js';
import { ServiceStrikes, type Deck, type Target } from '../service-strikes.js';
import {
  countedBy,
  countsText,
  reportedLater,
  runSuite,
  type Stage,
  type SuiteOptions,
  type Verdict,
} from '../suite.js';
import { inTurns, Tenant } from '../tenant.js';
import { Pauses, Races, readersOf, type Reader } from './campaign-people.js';
import {
  judgeCampaigns,
  type CampaignMail,
  type CampaignsEvidence,
  type EndedCampaign,
  type HandOff,
  type LedgerRow,
} from './judge-campaigns.js';

const replicas = { sending: 2, contacts: 2, analytics: 1, campaigns: 2, workflows: 1, gateway: 2 };
const environment = {
  // What is unknown is held, and ends soon.
  AMBIGUOUS_MARKETING_SECONDS: '4',
  WORK_LEASE_SECONDS: '5',
};
const settleSeconds = 150;
/** Of the large campaign and of the small one. */
const mostPauses = [12, 3] as const;
const winnerMs = { least: 30_000, most: 60_000 };

interface Act {
  stage: Stage;
  tenant: Tenant;
  readers: readonly Reader[];
  launched: readonly Launched[];
  races: Races;
  pauses: readonly Pauses[];
  strikes: ServiceStrikes<State>;
  counts: CountsWatch;
  launchedAt: number;
}

/** A campaign to everybody and one with variants to a few, while processes and servers are struck, people leave, and somebody pauses and resumes. */
export const runCampaigns = (options: SuiteOptions): Promise<boolean> =>
  runSuite(options, { name: 'campaigns', replicas, environment }, async (stage) => {
    const tenant = await Tenant.create(stage, 'campaigns');
    const operator = tenant.sibling();
    const act = await prepare(stage, tenant, operator);
    await attack(act, operator);
    await stage.processes.untilAllReady();
    await untilQuiet(() => unfinishedOf(tenant), settleSeconds);
    const verdict = await judge(act);
    for (const each of [tenant, operator]) each.close();
    return verdict;
  });

async function prepare(stage: Stage, tenant: Tenant, operator: Tenant): Promise<Act> {
  const { sends, seed } = stage.options;
  await tenant.records.query('sending', noteHandOffs);
  const readers = readersOf(sends, seed);
  await makeAudience(tenant, readers);
  const launched = await makeCampaigns(tenant, readers);
  const races = await Races.of(tenant, readers, new Random(seed + 1));
  const pauses = launched.map(({ id }, index) => new Pauses(operator, id, new Random(seed + 10 + index)));
  const strikes = new ServiceStrikes(stage, target);
  const counts = new CountsWatch(tenant, 'campaigns', countsSql);
  return { stage, tenant, readers, launched, races, pauses, strikes, counts, launchedAt: Date.now() };
}

async function attack({ stage, launched, races, pauses, strikes }: Act, operator: Tenant): Promise<void> {
  const { options, random } = stage;
  // While the audience is written down, which takes a moment only.
  const frozen = reportedLater(strikes.aim('kill campaigns', 'freeze before its page is written'));
  for (const { id } of launched)
    await operator.surely('POST', `/api/v1/campaigns/${id}/send`, undefined, {
      'idempotency-key': `send-${id}`,
    });
  const running = [
    races.run(),
    ...pauses.map((each, index) => each.run(mostPauses[index]!)),
    chooseWinner(operator, launched[1]!.id, random.whole(winnerMs.least, winnerMs.most)),
  ].map(reportedLater);
  await frozen;
  await strikes.run(options.faults - 1);
  await Promise.all(running);
}

async function judge(act: Act): Promise<Verdict> {
  const { stage, tenant, readers, launched, races, pauses, strikes, counts } = act;
  const looks = await counts.stop();
  const campaigns = [];
  for (const each of launched) campaigns.push(await endedCampaign(tenant, each));
  const evidence: CampaignsEvidence = {
    campaigns,
    readers,
    counts: looks,
    races: races.done,
    strikes: strikes.done,
    sink: readSinkLedger(stage.fixture.sinkLedger),
    mails: await tenant.rows<CampaignMail>('sending', mailsSql),
    handOffs: await tenant.records.query<HandOff>('sending', handOffsSql),
    pauses: pauses.flatMap(({ spans }) => spans),
    endedAt: campaigns[0]!.sentAt,
    wantedStrikes: strikes.wanted,
  };
  const { lines, figures } = told(act, evidence);
  const [unfinished, work] = [await unfinishedOf(tenant), await workLeft(tenant.records)];
  const rest = { stage, tenant, unfinished, work, strikes: strikes.done.length };
  return {
    lines,
    figures,
    findings: [...judgeCampaigns(evidence), judgeCounts(looks, 'a campaign'), ...(await judgeRest(rest))],
  };
}

function told(
  { races, strikes, launchedAt }: Act,
  evidence: CampaignsEvidence,
): Pick<Verdict, 'lines' | 'figures'> {
  const { campaigns, sink, pauses, counts, strikes: done, handOffs, endedAt } = evidence;
  const sentSeconds = Math.round((endedAt - launchedAt) / 1_000);
  const rows = campaigns.flatMap((campaign) => campaign.rows);
  const outcomes = countedBy(rows, ({ outcome, reason }) => (reason ? `${outcome} ${reason}` : outcome));
  return {
    lines: [
      strikes.line,
      `Recipients: ${countsText(Object.entries(outcomes))}`,
      `At the mail server: ${sink.length} messages, of ${handOffs.length} hand-offs; the large campaign took ${sentSeconds} s`,
      `Left meanwhile: ${races.done.length} readers, ${races.aimed} of them while their message was claimed, ${closeCalls(evidence)} within a second of its hand-off`,
      `Pauses: ${pauses.length} (${pauses.filter(({ isSure }) => !isSure).length} in doubt), for ${Math.round(pauses.reduce((sum, { from, to }) => sum + to - from, 0) / 1_000)} s`,
      `Sums were compared ${counts.length} times`,
    ],
    figures: {
      recipients: rows.length,
      outcomes,
      messages: sink.length,
      strikes: done.length,
      missed: strikes.missed,
      raced: races.done.length,
      aimed: races.aimed,
      pauses: pauses.length,
      sentSeconds,
      closeCalls: closeCalls(evidence),
    },
  };
}

/** How many left within a second of the hand-off of their message. */
function closeCalls({ campaigns, races, handOffs }: CampaignsEvidence): number {
  const marks = new Map(handOffs.map(({ emailId, at }) => [emailId, at]));
  const emails = new Map(campaigns[0]!.rows.map(({ email, emailId }) => [email, emailId]));
  const markOf = (email: string) => marks.get(emails.get(email) ?? '') ?? -Infinity;
  return races.filter(({ email, answeredAt }) => Math.abs(answeredAt - markOf(email)) < 1_000).length;
}

const smallPerMinute = 600;
const suppressedAtOnce = 8;

interface Launched {
  id: string;
  isCompared: boolean;
}

async function makeAudience(tenant: Tenant, readers: readonly Reader[]): Promise<void> {
  await tenant.makeContacts(
    readers.map(({ email, subscribed, name }) => ({
      email,
      subscribed,
      custom_fields: { first_name: name },
    })),
  );
  const suppressed = readers.filter(({ kind }) => kind === 'suppressed');
  await inTurns(suppressed, suppressedAtOnce, ({ email }) =>
    tenant.surely('POST', '/api/v1/suppressions', { email }),
  );
}

/** One to everybody but a few at the general pace, and one with variants to these few at a rate of its own. */
async function makeCampaigns(tenant: Tenant, readers: readonly Reader[]): Promise<Launched[]> {
  const make = async (path: string, body: object) =>
    (await tenant.surely('POST', `/api/v1/${path}`, body))['id'] as string;
  const few = await make('segments', { name: 'Compared', type: 'STATIC' });
  const emails = readers.flatMap(({ kind, email }) => (kind === 'compared' ? [email] : []));
  await tenant.surely('POST', `/api/v1/segments/${few}/members`, { emails });
  const template_id = await make('templates', {
    name: 'Spring',
    subject: 'News for {{ first_name }}',
    email_category: 'MARKETING',
    body: `<p>Dear {{ first_name }}, <a href="https://shop.example/new">see what is new</a>.</p>
      <p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>`,
  });
  const shared = { template_id, email_category: 'MARKETING' };
  const large = await make('campaigns', {
    ...shared,
    name: 'large',
    audience_type: 'ALL',
    exclude_segment_ids: [few],
  });
  const small = await make('campaigns', {
    ...shared,
    name: 'small',
    audience_type: 'SEGMENT',
    segment_id: few,
    send_rate: smallPerMinute,
    variants: ['A', 'B'].map((name) => ({ name, subject: `${name} for {{ first_name }}` })),
    test: { share: 50, winner_by: 'MANUAL', after_minutes: 10 },
  });
  return [
    { id: large, isCompared: false },
    { id: small, isCompared: true },
  ];
}

/** The rest of the audience waits for that. */
async function chooseWinner(tenant: Tenant, id: string, afterMs: number): Promise<void> {
  await delay(afterMs);
  const { status, body } = await tenant.answered('POST', `/api/v1/campaigns/${id}/winner`, { variant: 'B' });
  // A try that was not answered may have chosen it.
  if (status !== 200 && status !== 409) throw new Error(`the winner was answered ${status}: ${body}`);
}

/** What campaigns may be at when it dies (docs/decisions/0028-campaigns.md), each held open where its next statement waits for a lock. */
const locks = {
  'freeze before its page is written': { table: 'recipients', statement: '%INSERT INTO recipients (%' },
  'hand-over before its commit': { table: 'recipients', statement: '%SET handed_over = true%' },
  'results before their commit': { table: 'campaign_counts', statement: '%array_agg(outcome ORDER BY%' },
  'transition before its commit': { table: 'campaigns', statement: 'UPDATE "campaigns" SET%' },
} as const satisfies Record<string, Lock>;
type State = keyof typeof locks;

/** While there is something to hand over. */
const early: Deck<State> = [
  ['kill campaigns', 'hand-over before its commit', 5],
  ['kill campaigns', 'results before their commit', 2],
  ['kill campaigns', 'transition before its commit', 1],
  ['kill campaigns', null, 1],
  ['kill sending', null, 4],
  ['kill contacts', null, 2],
  ['kill gateway', null, 2],
  ['stop sending', null, 1],
  ['stop campaigns', null, 1],
  ['stop gateway', null, 1],
  ['crash postgres', null, 2],
  ['wipe nats', null, 2],
];
const late: Deck<State> = [
  ['kill campaigns', 'results before their commit', 3],
  ['kill campaigns', 'transition before its commit', 2],
  ['kill campaigns', null, 3],
  ['kill sending', null, 5],
  ['kill contacts', null, 2],
  ['kill gateway', null, 2],
  ['stop sending', null, 1],
  ['stop campaigns', null, 1],
  ['stop contacts', null, 1],
  ['crash postgres', null, 2],
  ['wipe nats', null, 1],
  ['kill nats', null, 1],
];
const target: Target<State> = {
  service: 'campaigns',
  locks,
  decks: [early, late],
  rare: { 'transition before its commit': 12_000 },
};

const pageSize = 100;

/** The mail server sees a message when it is there, and not when its hand-off began: that is written down with the mark, by the database. */
const noteHandOffs = `
  CREATE TABLE chaos_hand_offs (email_id uuid NOT NULL, at timestamptz NOT NULL);
  CREATE FUNCTION chaos_note_hand_off() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
      INSERT INTO chaos_hand_offs VALUES (NEW.email_id, clock_timestamp());
      RETURN NULL;
    END $$;
  CREATE TRIGGER chaos_hand_offs AFTER UPDATE OF state ON deliveries FOR EACH ROW
    WHEN (NEW.state = 'HANDOFF' AND OLD.state <> 'HANDOFF') EXECUTE FUNCTION chaos_note_hand_off()`;

const handOffsSql = `SELECT email_id AS "emailId", extract(epoch FROM at)::float8 * 1000 AS at FROM chaos_hand_offs`;
const mailsSql = `
  SELECT id, campaign_id AS "campaignId", status, coalesce(error LIKE 'The message was given up: %', false) AS "isGivenUp"
  FROM emails WHERE project_id = $1 AND status <> 'VOIDED'`;

/** As a client sees it after the run. */
async function endedCampaign(
  tenant: Tenant,
  { id, isCompared }: Pick<EndedCampaign, 'id' | 'isCompared'>,
): Promise<EndedCampaign & { sentAt: number }> {
  const path = `/api/v1/campaigns/${id}`;
  const campaign = await tenant.surely('GET', path);
  return {
    id,
    isCompared,
    name: campaign['name'] as string,
    status: campaign['status'] as string,
    pausedReason: campaign['paused_reason'] as string | null,
    sentAt: campaign['sent_at'] ? Date.parse(campaign['sent_at'] as string) : Date.now(),
    stats: await tenant.surely('GET', `${path}/stats`),
    rows: await ledgerOf(tenant, path),
  };
}

interface ShownRow extends Pick<LedgerRow, 'email' | 'outcome' | 'reason' | 'variant'> {
  email_id: string | null;
}

async function ledgerOf(tenant: Tenant, path: string): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  let after = '';
  do {
    const page = await tenant.surely('GET', `${path}/recipients?limit=${pageSize}${after}`);
    for (const { email_id: emailId, email, outcome, reason, variant } of page['data'] as ShownRow[])
      rows.push({ email, outcome, reason, emailId, variant });
    after = page['next_cursor'] ? `&after=${page['next_cursor'] as string}` : '';
  } while (after !== '');
  return rows;
}

const bits = { delivered: 1, opened: 2, clicked: 4, bounced: 8, complained: 16, unsubscribed: 32 };
const count = (condition: string): string => `(count(*) FILTER (WHERE ${condition}))::int`;
const reported = (name: keyof typeof bits): string =>
  `${count(`reported_bits & ${bits[name]} <> 0`)} AS ${name}`;
const sent = `${count(`outcome = 'SENT'`)} AS sent`;

/** The sums of campaigns and of their variants against the rows of the ledger: one statement, so that all of it is one snapshot. */
const countsSql = `
  WITH kept AS (
    SELECT campaign_id::text AS key, to_jsonb(n) - '{project_id,campaign_id}'::text[] AS sums FROM campaign_counts n WHERE project_id = $1
    UNION ALL SELECT campaign_id || ' variant ' || variant, to_jsonb(n) - '{project_id,campaign_id,variant}'::text[] FROM variant_counts n WHERE project_id = $1
  ), counted AS (
    SELECT campaign_id::text AS key, to_jsonb(n) - 'campaign_id' AS sums FROM (
      SELECT campaign_id, count(*)::int AS total, ${count(`outcome = 'QUEUED' AND handed_over`)} AS in_hand, ${sent},
        ${count(`outcome = 'SKIPPED'`)} AS skipped, ${count(`outcome = 'FAILED'`)} AS failed,
        ${(Object.keys(bits) as (keyof typeof bits)[]).map(reported).join(', ')}
      FROM recipients WHERE project_id = $1 GROUP BY campaign_id) AS n
    UNION ALL SELECT campaign_id || ' variant ' || variant, to_jsonb(n) - '{campaign_id,variant}'::text[] FROM (
      SELECT campaign_id, variant, ${count('handed_over')} AS recipients, ${sent}, ${reported('opened')}, ${reported('clicked')}
      FROM recipients WHERE project_id = $1 AND variant IS NOT NULL GROUP BY campaign_id, variant) AS n
  )
  SELECT key, kept.sums AS kept, counted.sums AS counted FROM kept FULL JOIN counted USING (key) ORDER BY key`;
