import {
  campaignDryRuns,
  campaignFromTestKey,
  campaignNotCancellable,
  campaignNotCompared,
  campaignNotDraft,
  campaignNotEditable,
  campaignNotFound,
  campaignNotPaused,
  campaignNotResendable,
  campaignNotSendable,
  campaignNotSending,
  campaignNotSent,
  campaignOpensUntracked,
  campaignRecipients,
  campaigns,
  campaignVariantUnknown,
  campaignWithoutRecipients,
  isMjml,
  keyInFlight,
  keyReused,
  senderNotVerified,
  SentMembers,
  type UpdateCampaign,
} from '@posthorn/contracts';
import { create, get, list, patch, post, remove, routes } from '../routes/calls.js';
import { renderingTime } from '../templates/templates.routes.js';

const common = { read: 'campaigns:read', write: 'campaigns:write', missing: campaignNotFound } as const;
const sending = { scope: 'campaigns:send' } as const;
const waits = ({ body, variants }: UpdateCampaign) =>
  [body, ...(variants ?? []).map((variant) => variant.body)].some(isMjml) ? renderingTime : {};

export const campaignRoutes = routes('campaigns', common, {
  create: create('campaigns', campaigns.create, 'Create a campaign in DRAFT', {
    idempotent: true,
    waits,
    errors: [senderNotVerified, keyInFlight, keyReused],
  }),
  list: list('campaigns', campaigns.list, 'List campaigns, newest first'),
  get: get('campaigns/:id', campaigns.get, 'Get a campaign'),
  update: patch('campaigns/:id', campaigns.update, 'Update a campaign in DRAFT or SCHEDULED', {
    waits,
    errors: [campaignNotEditable, senderNotVerified],
  }),
  delete: remove('campaigns/:id', campaigns.delete, 'Delete a campaign in DRAFT', {
    errors: [campaignNotDraft],
  }),
  send: post('campaigns/:id/send', campaigns.send, 'Send a campaign now, or schedule it', {
    ...sending,
    mayBeEmpty: true,
    success: 'accepted',
    idempotent: true,
    waits: renderingTime,
    errorShape: SentMembers,
    errors: [
      campaignNotSendable,
      campaignWithoutRecipients,
      campaignFromTestKey,
      senderNotVerified,
      keyInFlight,
      keyReused,
    ],
  }),
  cancel: post(
    'campaigns/:id/cancel',
    campaigns.cancel,
    'Cancel a campaign that is scheduled, being sent or paused',
    { ...sending, errors: [campaignNotCancellable] },
  ),
  pause: post('campaigns/:id/pause', campaigns.pause, 'Pause the sending of a campaign', {
    ...sending,
    errors: [campaignNotSending],
  }),
  resume: post('campaigns/:id/resume', campaigns.resume, 'Go on sending a paused campaign', {
    ...sending,
    waits: renderingTime,
    errorShape: SentMembers,
    errors: [campaignNotPaused],
  }),
  winner: post(
    'campaigns/:id/winner',
    campaigns.chooseWinner,
    'Choose the variant that the rest of the audience gets',
    { ...sending, errors: [campaignNotCompared, campaignVariantUnknown] },
  ),
  retryFailed: post(
    'campaigns/:id/retry-failed',
    campaigns.retryFailed,
    'Send a campaign again to those of its recipients whose mail failed',
    { ...sending, mayBeEmpty: true, success: 'accepted', errors: [campaignNotSent] },
  ),
  resend: create(
    'campaigns/:id/resend',
    campaigns.resend,
    'Create a campaign for those who did not open this one',
    { mayBeEmpty: true, errors: [campaignNotResendable, campaignOpensUntracked] },
  ),
  clone: create('campaigns/:id/clone', campaigns.clone, 'Copy a campaign to a new DRAFT'),
});

/** Enough for some ten thousand people; of larger audiences a part is rendered. */
const dryRunMs = 25_000;

export const campaignRecipientRoutes = routes('campaignRecipients', common, {
  stats: get('campaigns/:id/stats', campaignRecipients.stats, 'Get the counts and rates of a campaign'),
  dryRun: post(
    'campaigns/:id/dry-run',
    campaignDryRuns.run,
    'See who would get a campaign now, rendered for everybody; nothing is sent',
    { waits: { timeoutMs: dryRunMs }, errorShape: SentMembers, errors: [senderNotVerified] },
  ),
  recipients: list(
    'campaigns/:id/recipients',
    campaignRecipients.list,
    'List the recipients of a campaign with their outcomes',
  ),
});
