import { query } from '../schema/contract.js';
import { Finding } from '../sending/templates.js';
import { Address, Count, Flag, FreeMap, Id, ListOf, Nested, Numeric, Text } from '../schema/fields.js';
import { CampaignId } from './campaigns.js';

export const maxDryRunSamples = 3;
export const maxDryRunFailures = 10;

export class DryRunSample {
  @Id() contactId: string;
  @Address() email: string;
  @Text(0, 998) subject: string;
  @Text(0, 2 * 1024 * 1024) html: string;
  @Text(0, 4 * 1024 * 1024) text: string;
  @ListOf(() => Finding, 0, 200) findings: Finding[];
}

export class DryRunFailure {
  @Id() contactId: string;
  @Address() email: string;
  @Text(0, 1_000) message: string;
}

export class DryRunFailures {
  @Count() count: number;
  @ListOf(() => DryRunFailure, 0, maxDryRunFailures) first: DryRunFailure[];
}

export class DryRunSender {
  @Address() from: string;
  /** Its domain is verified and signs the mail. */
  @Flag() aligned: boolean;
  @ListOf(() => Finding, 0, 200) findings: Finding[];
}

/** Who would get a campaign now, and what; nothing is stored or sent. */
export class DryRun {
  @Count() total: number;
  /** Those of the audience who would get a message. */
  @Count() recipients: number;
  /** How many are left out, by the reasons of skipped recipients. */
  @FreeMap() excluded: Record<string, number>;
  @ListOf(() => DryRunSample, 0, maxDryRunSamples) samples: DryRunSample[];
  @Nested(() => DryRunFailures) renderFailures: DryRunFailures;
  /** Recipients for whom the message was rendered: all, unless the time did not suffice. */
  @Count() rendered: number;
  @Nested(() => DryRunSender) sender: DryRunSender;
  /** 0: unlimited. */
  @Numeric() pacePerSecond: number;
  /** For all recipients at that pace; 0 where it is unlimited. */
  @Count() estimatedSeconds: number;
}

export const campaignDryRuns = {
  /** Errors: those of sending the campaign. */
  run: query('campaigns.dry_runs.run', CampaignId, DryRun),
};
