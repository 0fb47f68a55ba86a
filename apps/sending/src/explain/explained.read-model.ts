import type {
  EmailCategory,
  EmailStatus,
  FailureKind,
  ProviderEventKind,
  ProviderSource,
  SourceType,
  SuppressionReason,
  WhenExhausted,
} from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { DeliveryState, Lane } from '../delivery/delivery-states.js';
import {
  countedSource,
  isExempt,
  remainingOfDay,
  remainingOfMonth,
  remainingOfSource,
  usageOfLimited,
} from '../allowances/allowance-sql.js';
import { remainingOfFrequencyCap } from '../frequency/frequency-cap-sql.js';
import { destinationOf, domainOf } from '../pacing/destination.js';
import { slowDownJoins, slowedDestinations } from '../pacing/slow-down-sql.js';
import { markRules, markJoins, type RuleDecision } from '../delivery/hand-off/mark-rules.js';
import type { ErasedAddressHasher } from '../erasures/erased-names.js';

export interface ExplainedRow {
  id: string;
  projectId: string;
  from: string;
  to: string;
  status: EmailStatus;
  failureKind: FailureKind | null;
  error: string | null;
  category: EmailCategory;
  sourceType: SourceType;
  acceptedBy: string | null;
  templateId: string | null;
  templateVersion: number | null;
  scheduledAt: Date | null;
  createdAt: Date;
  complainedAt: Date | null;
}

export interface ExplainedHistory {
  at: Date;
  status: EmailStatus;
  kind: ProviderEventKind | null;
  source: ProviderSource | null;
  recipient: string;
  detail: string | null;
  stage: string | null;
  host: string | null;
  tls: boolean | null;
  replyCode: number | null;
  durationMs: number | null;
}

export interface ExplainedDelivery {
  position: number;
  recipient: string;
  state: DeliveryState;
  lane: Lane;
  dueAt: Date;
  isDue: boolean;
  expiresAt: Date;
  attempts: number;
  resends: number;
  waitsForNextPeriod: boolean;
  /** The first rule of the hand-off that would keep it back now. */
  decision: RuleDecision | 'frequency_cap' | null;
  left: number | null;
  whenExhausted: WhenExhausted | null;
  isExempt: boolean;
  /** Its destination, while that asks for less mail; `*` for the mail server. */
  slowDestination: string | null;
  suppressionReason: SuppressionReason | null;
  suppressedSince: Date | null;
  unsubscribedSince: Date | null;
}

export interface ExplainedAddress {
  suppressionReason: SuppressionReason | null;
  suppressedSince: Date | null;
  unsubscribedSince: Date | null;
}

type Recipient = Pick<ExplainedDelivery, 'position' | 'recipient'>;

const maxHistory = 1_000;

const rowSql = `
  SELECT e.id, e.project_id AS "projectId", e.from_email AS "from", e.to_email AS "to", e.status, e.failure_kind AS "failureKind", e.error, e.category, e.source_type AS "sourceType",
    e.accepted_by AS "acceptedBy", k.template_id AS "templateId", k.template_version AS "templateVersion", e.scheduled_at AS "scheduledAt",
    e.created_at AS "createdAt", e.complained_at AS "complainedAt"
  FROM emails e LEFT JOIN email_contents k ON k.project_id = e.project_id AND k.id = e.content_id
  WHERE e.project_id = $1 AND e.id = $2 AND e.status <> 'VOIDED'`;

const historySql = `
  SELECT at, status, kind, source, recipient, detail, stage, host, tls, reply_code AS "replyCode", duration_ms AS "durationMs"
  FROM email_events WHERE project_id = $1 AND email_id = $2 ORDER BY at, id LIMIT ${maxHistory}`;

const deliveriesSql = `
  WITH ${slowedDestinations('$7')}, requested AS (
    SELECT $1::uuid AS project_id, $2::uuid AS email_id, $9::text AS category, position, hash AS address_hash, destination, CASE WHEN position > 0 THEN $5 END AS main_address_hash
    FROM unnest($3::smallint[], $4::text[], $8::text[]) AS r (position, hash, destination)
  ), ${usageOfLimited}
  SELECT d.position, d.recipient, d.state, d.lane, d.due_at AS "dueAt", d.due_at <= now() AS "isDue", d.expires_at AS "expiresAt", d.attempts, d.resends, d.waits_for_next_period AS "waitsForNextPeriod",
    CASE ${markRules.map(({ decision, applies }) => `WHEN ${applies} THEN '${decision}'`).join(' ')} WHEN ${remainingOfFrequencyCap} <= 0 THEN 'frequency_cap' END AS decision,
    least(${remainingOfSource(countedSource('$6::text'))}, ${remainingOfMonth}, ${remainingOfDay})::int AS left, usage.when_exhausted AS "whenExhausted", ${isExempt} AS "isExempt",
    slow.destination AS "slowDestination",
    suppression.reason AS "suppressionReason", suppression.created_at AS "suppressedSince",
    CASE WHEN opt_out.opted_out THEN opt_out.since END AS "unsubscribedSince"
  FROM requested r ${markJoins} ${slowDownJoins('$7')} ORDER BY d.position`;

const addressesSql = `
  SELECT suppression.reason AS "suppressionReason", suppression.created_at AS "suppressedSince", opt_out.since AS "unsubscribedSince"
  FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS r (email, hash, index)
  LEFT JOIN LATERAL (
    SELECT reason, created_at FROM suppressions s WHERE s.project_id = $1 AND s.email IN (r.email, r.hash) ORDER BY created_at LIMIT 1
  ) AS suppression ON true
  LEFT JOIN LATERAL (
    SELECT since FROM opt_outs o WHERE o.project_id = $1 AND o.email IN (r.email, r.hash) AND o.opted_out ORDER BY since LIMIT 1
  ) AS opt_out ON true
  ORDER BY r.index`;

export class ExplainedReadModel {
  constructor(
    private readonly database: Database,
    private readonly hasher: ErasedAddressHasher,
    private readonly providerKind: string,
  ) {}

  async row(projectId: string, id: string): Promise<ExplainedRow | null> {
    const [row] = await this.database.query<ExplainedRow>(rowSql, [projectId, id]);
    return row ?? null;
  }

  history(projectId: string, id: string): Promise<ExplainedHistory[]> {
    return this.database.query<ExplainedHistory>(historySql, [projectId, id]);
  }

  addresses(projectId: string, emails: readonly string[]): Promise<ExplainedAddress[]> {
    const hashes = emails.map((email) => this.hasher.hash(projectId, email));
    return this.database.query<ExplainedAddress>(addressesSql, [projectId, emails, hashes]);
  }

  recipients(projectId: string, id: string): Promise<Recipient[]> {
    return this.database.query<Recipient>(
      `SELECT position, recipient FROM deliveries WHERE project_id = $1 AND email_id = $2 ORDER BY position`,
      [projectId, id],
    );
  }

  deliveries(
    { projectId, id, to, sourceType, category }: ExplainedRow,
    recipients: readonly Recipient[],
  ): Promise<ExplainedDelivery[]> {
    return this.database.query<ExplainedDelivery>(deliveriesSql, [
      projectId,
      id,
      recipients.map(({ position }) => position),
      recipients.map(({ recipient }) => this.hasher.hash(projectId, recipient)),
      this.hasher.hash(projectId, to),
      sourceType,
      this.providerKind,
      recipients.map(({ recipient }) => destinationOf(domainOf(recipient))),
      category,
    ]);
  }
}
