import { isMarketing } from '../delivery/hand-off/mark-rules.js';

export const reachedNobody = `e.status = 'FAILED' AND e.failure_kind <> 'delivery_unconfirmed'`;
const ofRecipient = `sent.project_id = r.project_id AND sent.address_hash = r.address_hash`;

// Null where nothing limits it, and for a message that was counted already. What failed for good reached
// nobody, and does not count (docs/decisions/0029-frequency-cap.md).
export const remainingOfFrequencyCap = `
  CASE WHEN project.cap_messages IS NOT NULL AND d.campaign_id IS NOT NULL AND ${isMarketing}
    AND NOT EXISTS (SELECT FROM marketing_hand_offs sent WHERE ${ofRecipient} AND sent.email_id = r.email_id)
  THEN project.cap_messages - (
    SELECT count(*) FROM marketing_hand_offs sent WHERE ${ofRecipient} AND sent.at > now() - make_interval(days => project.cap_days)
      AND NOT EXISTS (SELECT FROM emails e WHERE e.project_id = sent.project_id AND e.id = sent.email_id AND ${reachedNobody})
  ) END`;

/** Of `marked`; a message that is tried again keeps its first instant. */
export const addMarketingHandOffs = (marked: string): string => `
  INSERT INTO marketing_hand_offs (project_id, address_hash, email_id, at)
  SELECT project_id, address_hash, email_id, now() FROM (${marked}) AS m ORDER BY project_id, address_hash, email_id
  ON CONFLICT DO NOTHING RETURNING 1`;

/** One mark at a time for a recipient whose mail is limited: two workers must not both find the last place. `requested` names addresses, and campaigns by names without an @. */
export const lockFrequencyCaps = `
  SELECT pg_advisory_xact_lock(hashtextextended(project_id::text || ' ' || email, 12)) FROM (
    SELECT project_id, email FROM requested JOIN project_states USING (project_id)
    WHERE cap_messages IS NOT NULL AND email LIKE '%@%' ORDER BY project_id, email
  ) AS capped`;
