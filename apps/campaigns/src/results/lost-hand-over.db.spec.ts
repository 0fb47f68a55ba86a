import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { RecipientsRepository } from '../recipients/recipients.repository.js';
import { startCampaignsSuite, type CampaignsSuite } from '../testing/campaigns-suite.js';
import { sumsOf } from '../testing/ledger-sums.js';
import { reportOfFailure, sentAnd } from './report.js';
import { ResultsRepository } from './results.repository.js';

let suite: CampaignsSuite;
beforeAll(async () => {
  suite = await startCampaignsSuite();
});
afterAll(() => suite.stop());

it('what is reported before the hand-over is written down counts as handed over, once', async () => {
  const { projectId } = suite.buildProject();
  const campaignId = newId();
  const emailIds = [newId(), newId(), newId()];
  const { database } = suite;
  await database.query(`INSERT INTO campaign_counts (project_id, campaign_id, total) VALUES ($1, $2, 3)`, [
    projectId,
    campaignId,
  ]);
  await database.query(
    `INSERT INTO recipients (project_id, campaign_id, contact_id, email_id, email, outcome, variant)
     SELECT $1, $2, id, id, id || '@example.org', 'QUEUED', 0 FROM unnest($3::uuid[]) AS e (id)`,
    [projectId, campaignId, emailIds],
  );
  const reports = [sentAnd('delivered'), reportOfFailure({ failureKind: 'delivery_unconfirmed' })];
  const reported = reports.map((report, index) => ({ ...report, campaignId, emailId: emailIds[index]! }));
  await new ResultsRepository(database).apply(projectId, reported);
  const variant = () =>
    database.query(`SELECT recipients, sent FROM variant_counts WHERE campaign_id = $1`, [campaignId]);
  expect(await variant()).toEqual([{ recipients: 2, sent: 1 }]);
  // Who takes over hands over the same rows.
  await new RecipientsRepository(database).handedOver({ projectId, campaignId }, emailIds);
  expect(await variant()).toEqual([{ recipients: 3, sent: 1 }]);
  const { kept, counted } = await sumsOf(database, campaignId);
  expect(kept).toEqual(counted);
  expect(kept).toMatchObject({ total: 3, in_hand: 1, sent: 1, failed: 1 });
});
