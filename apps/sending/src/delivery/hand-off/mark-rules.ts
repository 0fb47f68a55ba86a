import { isLimited } from '../../allowances/allowance-sql.js';
import { hasRecovered } from '../../pacing/slow-down-sql.js';
import { lanes } from '../delivery-states.js';

export type RuleDecision =
  | 'unknown_project'
  | 'disabled'
  | 'campaign_cancelled'
  | 'campaign_paused'
  | 'expired'
  | 'suppressed'
  | 'unsubscribed'
  | 'quiet_hours';

interface MarkRule {
  decision: RuleDecision;
  /** A condition over the aliases of `markJoins`. */
  applies: string;
  /** It can apply only where `needsAllChecks` holds. */
  rare?: true;
}

// `requested r` names deliveries with the hash of their recipient's address and that of the main recipient's
// (null for the main recipient itself). Every address is hashed; once it is erased, columns named email hold
// hash@erased.invalid in its place. `usage_so_far` is a query of `usageOfLimited`.
export const plainMarkJoins = `
    JOIN deliveries d USING (project_id, email_id, position)
    LEFT JOIN project_states project USING (project_id)
    LEFT JOIN campaign_states campaign ON campaign.project_id = r.project_id AND campaign.campaign_id = d.campaign_id
    LEFT JOIN suppressions suppression ON suppression.project_id = r.project_id AND suppression.email = d.recipient
    LEFT JOIN opt_outs opt_out ON opt_out.project_id = r.project_id AND opt_out.email = d.recipient
    LEFT JOIN erased_addresses erased ON erased.project_id = r.project_id AND erased.email = r.address_hash
    LEFT JOIN project_usage usage ON usage.project_id = r.project_id`;
export const markJoins = `${plainMarkJoins}
    LEFT JOIN usage_so_far ON usage_so_far.project_id = r.project_id`;

/** `r.category` is that of the e-mail, where it is known: campaigns send transactional mail in the bulk lane, too. */
export const isMarketing = `coalesce(r.category = 'MARKETING', d.lane = ${lanes.bulk})`;

const sinceQuietBegan = `mod(extract(epoch FROM now() - d.quiet_from)::bigint + CASE WHEN now() >= d.quiet_shift_at THEN d.quiet_shift_seconds ELSE 0 END, 86400)`;
export const quietWaitMs = `(d.quiet_seconds - ${sinceQuietBegan})::float8 * 1000`;

/** The rules of the last check, in the order in which they decide. The explanation of an e-mail reads the same ones. */
export const markRules: readonly MarkRule[] = [
  { decision: 'unknown_project', applies: `project.project_id IS NULL` },
  { decision: 'disabled', applies: `project.disabled` },
  { decision: 'campaign_cancelled', applies: `campaign.state = 'CANCELLED'` },
  { decision: 'campaign_paused', applies: `campaign.state = 'PAUSED'` },
  {
    // Its campaign may have queued it after the deletion of its contact.
    decision: 'suppressed',
    rare: true,
    applies: `d.campaign_id IS NOT NULL AND erased.project_id IS NOT NULL AND EXISTS (
          SELECT 1 FROM emails e WHERE e.project_id = r.project_id AND e.id = r.email_id AND e.contact_id = erased.contact_id)`,
  },
  // The last retry becomes due exactly at the end of the delivery window (`nextRetry`), and is yet to be claimed, composed and marked.
  { decision: 'expired', applies: `d.expires_at <= now() - interval '5 minutes'` },
  { decision: 'suppressed', applies: `suppression.email IS NOT NULL` },
  {
    decision: 'suppressed',
    rare: true,
    applies: `erased.project_id IS NOT NULL AND EXISTS (
          SELECT 1 FROM suppressions hashed WHERE hashed.project_id = r.project_id AND hashed.email = r.address_hash)`,
  },
  {
    // A copy is suppressed if its main recipient is.
    decision: 'suppressed',
    rare: true,
    applies: `r.position > 0 AND EXISTS (
          SELECT 1 FROM emails e JOIN suppressions main ON main.project_id = e.project_id AND main.email IN (e.to_email, r.main_address_hash)
          WHERE e.project_id = r.project_id AND e.id = r.email_id)`,
  },
  {
    decision: 'unsubscribed',
    rare: true,
    applies: `r.position > 0 AND ${isMarketing} AND EXISTS (
          SELECT 1 FROM emails e JOIN opt_outs main ON main.project_id = e.project_id AND main.email IN (e.to_email, r.main_address_hash) AND main.opted_out
          WHERE e.project_id = r.project_id AND e.id = r.email_id)`,
  },
  { decision: 'unsubscribed', applies: `${isMarketing} AND opt_out.opted_out` },
  {
    decision: 'unsubscribed',
    rare: true,
    applies: `${isMarketing} AND erased.project_id IS NOT NULL AND EXISTS (
          SELECT 1 FROM opt_outs hashed WHERE hashed.project_id = r.project_id AND hashed.email = r.address_hash AND hashed.opted_out)`,
  },
  {
    decision: 'quiet_hours',
    rare: true,
    applies: `d.quiet_from <= now() AND ${sinceQuietBegan} < d.quiet_seconds`,
  },
];

/**
 * Over the aliases of `plainMarkJoins`: something asks for more than the rules that are not rare. Most mail is of
 * projects without a limit or a cap, and of addresses that were never erased.
 */
export const needsAllChecks = (providerKind: string): string => `(
    d.position > 0 OR d.has_turn OR d.quiet_from IS NOT NULL OR erased.project_id IS NOT NULL OR project.cap_messages IS NOT NULL OR ${isLimited}
    OR EXISTS (SELECT FROM slowed_destinations s WHERE s.provider = ${providerKind} AND NOT ${hasRecovered('s')}))`;
