import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { campaigns } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { CampaignCounts } from '../recipients/recipients.read-model.js';
import { RecipientsRepository } from '../recipients/recipients.repository.js';
import { startCampaignsSuite, type CampaignsSuite } from '../testing/campaigns-suite.js';
import { reportOfBounce, reportOfCancelling, reportOfFailure, sentAnd, type Report } from './report.js';
import { ResultsRepository, type ReportedRow } from './results.repository.js';

let suite: CampaignsSuite;
beforeAll(async () => {
  suite = await startCampaignsSuite();
});
afterAll(() => suite.stop());

/** What may be reported of one e-mail: each a way in which it can end. */
const lives: readonly (readonly (Report | null)[])[] = [
  [sentAnd(), sentAnd('delivered')],
  [sentAnd(), sentAnd('delivered'), sentAnd('opened'), sentAnd('clicked')],
  [sentAnd(), sentAnd('bounced')],
  [sentAnd(), sentAnd('delivered'), sentAnd('complained')],
  [reportOfBounce({ bounceType: 'Permanent', refused: true })],
  [reportOfFailure({ failureKind: 'suppressed' })],
  [reportOfFailure({ failureKind: 'rendering' })],
  [reportOfFailure({ failureKind: 'delivery_unconfirmed' })],
  [reportOfFailure({ failureKind: 'delivery_unconfirmed' }), sentAnd(), sentAnd('delivered')],
  [reportOfCancelling],
];

/** A generator with a seed, so that a failure can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

async function ledger(size: number) {
  const { caller, projectId } = suite.buildProject();
  const { id: campaignId } = await suite.bus.call(campaigns.create, caller, {
    name: 'News',
    subject: 'News',
    body: 'Hello',
    audienceType: 'ALL',
  });
  const campaign = { projectId, campaignId };
  await suite.database.query(`INSERT INTO campaign_counts (project_id, campaign_id) VALUES ($1, $2)`, [
    projectId,
    campaign.campaignId,
  ]);
  const recipients = new RecipientsRepository(suite.database);
  await recipients.add(
    campaign,
    Array.from({ length: size }, (_, index) => ({
      contactId: newId(),
      email: `reader${index}@example.org`,
      subscribed: true,
      excluded: false,
      skipReason: null,
      dueAt: null,
      timeZone: null,
      variant: index % 2,
      waitsForWinner: false,
    })),
  );
  const rows = await recipients.queued({ ...campaign, winner: null }, size);
  await recipients.handedOver(
    campaign,
    rows.map(({ id }) => id),
  );
  return { campaign, emailIds: rows.map(({ id }) => id) };
}

const columns = ['sent', 'skipped', 'failed', 'delivered', 'opened', 'clicked', 'bounced', 'complained'];

async function state({ projectId, campaignId }: { projectId: string; campaignId: string }) {
  const [counts] = await suite.database.query(
    `SELECT in_hand, ${columns.join(', ')} FROM campaign_counts WHERE project_id = $1 AND campaign_id = $2`,
    [projectId, campaignId],
  );
  const rows = await suite.database.query(
    `SELECT outcome, reason, reported_bits AS reported FROM recipients WHERE project_id = $1 AND campaign_id = $2 ORDER BY email_id`,
    [projectId, campaignId],
  );
  return { counts, rows };
}

describe('results', () => {
  it.each([1, 2, 3])('end in the same rows and sums in any order and repetition (seed %i)', async (seed) => {
    const random = randomOf(seed);
    const size = 400;
    const repository = new ResultsRepository(suite.database);
    const [sorted, mixed] = [await ledger(size), await ledger(size)];
    const lifeOf = sorted.emailIds.map(() => lives[Math.floor(random() * lives.length)]!);
    const reportsFor = ({ campaign, emailIds }: typeof sorted): ReportedRow[] =>
      lifeOf.flatMap((life, index) =>
        life.map((report) => ({
          ...report!,
          campaignId: campaign.campaignId,
          emailId: emailIds[index]!,
        })),
      );
    for (const report of batches(reportsFor(sorted), 200))
      await repository.apply(sorted.campaign.projectId, report);
    const twice = [...reportsFor(mixed), ...reportsFor(mixed)].map((report) => ({ ...report }));
    const groups = batches(shuffled(twice, random), 150);
    // Several subscribers at once, as in several processes.
    for (const together of batches(groups, 3))
      await Promise.all(together.map((group) => repository.apply(mixed.campaign.projectId, group)));
    expect(await state(mixed.campaign)).toEqual(await state(sorted.campaign));
    const { counts, rows } = await state(mixed.campaign);
    const count = (matches: (row: Record<string, unknown>) => boolean) => rows.filter(matches).length;
    expect(counts).toEqual({
      in_hand: 0,
      sent: count(({ outcome }) => outcome === 'SENT'),
      skipped: count(({ outcome }) => outcome === 'SKIPPED'),
      failed: count(({ outcome }) => outcome === 'FAILED'),
      delivered: count(({ reported }) => (Number(reported) & 1) !== 0),
      opened: count(({ reported }) => (Number(reported) & 2) !== 0),
      clicked: count(({ reported }) => (Number(reported) & 4) !== 0),
      bounced: count(({ reported }) => (Number(reported) & 8) !== 0),
      complained: count(({ reported }) => (Number(reported) & 16) !== 0),
    });
  });

  it('have rates of what was handed over, each message once, however many were refused', async () => {
    const { campaign, emailIds } = await ledger(10);
    const report = (emailId: string, index: number): ReportedRow => ({
      ...(index === 0 ? sentAnd('delivered') : reportOfBounce({ bounceType: 'Permanent', refused: true })!),
      campaignId: campaign.campaignId,
      emailId,
    });
    await new ResultsRepository(suite.database).apply(campaign.projectId, emailIds.map(report));
    expect(
      await new CampaignCounts(suite.database).report(campaign.projectId, campaign.campaignId),
    ).toMatchObject({ sent: 1, bounced: 9, bounceRate: 90, deliveryRate: 10 });
  });

  it('of a recipient that was skipped by hand change nothing but what is new', async () => {
    const { campaign, emailIds } = await ledger(1);
    const repository = new ResultsRepository(suite.database);
    const about = { campaignId: campaign.campaignId, emailId: emailIds[0]! };
    await repository.apply(campaign.projectId, [{ ...reportOfCancelling, ...about }]);
    await repository.apply(campaign.projectId, [
      { ...reportOfFailure({ failureKind: 'rendering' }), ...about },
    ]);
    expect((await state(campaign)).rows).toEqual([{ outcome: 'SKIPPED', reason: 'cancelled', reported: 0 }]);
  });
});

function batches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
