import { readSinkLedger } from '../../judging/sink-ledger.js';
import { workLeft } from '../../judging/work-books.js';
import { untilQuiet } from '../../product.js';
import { Random } from '../../random.js';
import type { CampaignsEvidence } from './campaign-evidence.js';
import { Pauses } from './campaign-pauses.js';
import { Races } from './campaign-races.js';
import { readersOf, type Reader } from './campaign-readers.js';
import { endedCampaign, handOffsOf, mailsOf, writeDownHandOffs } from './campaign-records.js';
import { chooseWinner, makeAudience, makeCampaigns, send, type Launched } from './campaign-setup.js';
import { CampaignStrikes, strikePlan } from './campaign-strikes.js';
import { countsSql, judgeCounts } from './judge-campaign-counts.js';
import { judgeCampaigns } from './judge-campaigns.js';
import { CountsWatch } from '../counts-watch.js';
import { judgeRest } from '../judge-rest.js';
import { unfinishedOf } from '../recount.js';
import { reportedLater, runSuite, type Stage, type SuiteOptions, type Verdict } from '../suite.js';
import { Tenant } from '../tenant.js';

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
/** Of the strikes that are asked for: some find nobody in their state. */
const leastStrikes = 3 / 4;

interface Act {
  stage: Stage;
  tenant: Tenant;
  readers: readonly Reader[];
  launched: readonly Launched[];
  races: Races;
  pauses: readonly Pauses[];
  strikes: CampaignStrikes;
  counts: CountsWatch;
  launchedAt: number;
}

/** A campaign to everybody and one with variants to a few, while processes and servers are struck, people leave, and somebody pauses and resumes. */
export const runCampaigns = (options: SuiteOptions): Promise<boolean> =>
  runSuite(options, { name: 'campaigns', replicas, environment }, async (stage) => {
    const tenant = await Tenant.create(stage.fixture, stage.processes, 'campaigns');
    const operator = tenant.sibling();
    const act = await prepare(stage, tenant, operator);
    await attack(act, operator);
    await stage.processes.untilAllReady();
    await untilQuiet(() => unfinishedOf([tenant]), settleSeconds);
    const verdict = await judge(act);
    for (const each of [tenant, operator]) each.close();
    return verdict;
  });

async function prepare(stage: Stage, tenant: Tenant, operator: Tenant): Promise<Act> {
  const { sends, seed } = stage.options;
  await writeDownHandOffs(tenant.records);
  const readers = readersOf(sends, seed);
  await makeAudience(tenant, readers);
  const launched = await makeCampaigns(tenant, readers);
  const races = await Races.of(tenant, readers, new Random(seed + 1));
  const pauses = launched.map(({ id }, index) => new Pauses(operator, id, new Random(seed + 10 + index)));
  const strikes = new CampaignStrikes(stage);
  const counts = new CountsWatch(tenant, 'campaigns', countsSql);
  return { stage, tenant, readers, launched, races, pauses, strikes, counts, launchedAt: Date.now() };
}

async function attack({ stage, launched, races, pauses, strikes }: Act, operator: Tenant): Promise<void> {
  const { options, random } = stage;
  const frozen = reportedLater(strikes.freeze());
  for (const { id } of launched) await send(operator, id);
  const running = [
    races.run(),
    ...pauses.map((each, index) => each.run(mostPauses[index]!)),
    chooseWinner(operator, launched[1]!.id, random.whole(winnerMs.least, winnerMs.most)),
  ].map(reportedLater);
  await frozen;
  await strikes.run(strikePlan(options.faults - 1, new Random(options.seed + 2)));
  await Promise.all(running);
}

async function judge(act: Act): Promise<Verdict> {
  const { stage, tenant, readers, launched, races, pauses, strikes, counts } = act;
  const looks = await counts.stop();
  const campaigns = [];
  for (const each of launched) campaigns.push(await endedCampaign(tenant, each));
  const evidence: CampaignsEvidence = {
    ...{ campaigns, readers, counts: looks, races: races.done, strikes: strikes.done },
    sink: readSinkLedger(stage.fixture.sinkLedger),
    mails: await mailsOf(tenant),
    handOffs: await handOffsOf(tenant.records),
    pauses: pauses.flatMap(({ spans }) => spans),
    endedAt: campaigns[0]!.sentAt,
    wantedStrikes: Math.floor(stage.options.faults * leastStrikes),
  };
  const { lines, figures } = told(act, evidence);
  const [unfinished, work] = [await unfinishedOf([tenant]), await workLeft(tenant.records)];
  const rest = { stage, tenant, unfinished, work, strikes: strikes.done.length };
  return {
    ...{ lines, figures },
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
  const ends = Map.groupBy(rows, ({ outcome, reason }) => (reason ? `${outcome} ${reason}` : outcome));
  const outcomes = Object.fromEntries([...ends].map(([end, each]) => [end, each.length]).toSorted());
  return {
    lines: [
      `Strikes: ${strikes.line}`,
      `Recipients: ${Object.entries(outcomes)
        .map(([end, count]) => `${end} ${count}`)
        .join(' · ')}`,
      `At the mail server: ${sink.length} messages, of ${handOffs.length} hand-offs; the large campaign took ${sentSeconds} s`,
      `Left meanwhile: ${races.done.length} readers, ${races.aimed} of them while their message was claimed, ${closeCalls(evidence)} within a second of its hand-off`,
      `Pauses: ${pauses.length} (${pauses.filter(({ isSure }) => !isSure).length} in doubt), for ${Math.round(pauses.reduce((sum, { from, to }) => sum + to - from, 0) / 1_000)} s`,
      `Sums were compared ${counts.length} times`,
    ],
    figures: {
      ...{ recipients: rows.length, outcomes, messages: sink.length, strikes: done.length },
      ...{ missed: strikes.missed, raced: races.done.length, aimed: races.aimed, pauses: pauses.length },
      ...{ sentSeconds, closeCalls: closeCalls(evidence) },
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
