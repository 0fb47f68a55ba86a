/** Delivery only (docs/api-decisions.md §3); opens, clicks and complaints are recorded separately. */
export const emailStatuses = [
  'PENDING', 'SENDING', 'SENT', 'DELIVERED', 'DELIVERY_DELAY', 'BOUNCED', 'FAILED', 'REJECTED', 'RENDERING_FAILURE', 'CANCELLED', 'RECEIVED',
] as const; // prettier-ignore
export type EmailStatus = (typeof emailStatuses)[number];

/** Why an e-mail was not delivered, or why it waits while it is PENDING (docs/api-decisions.md §3). */
export const failureKinds = [
  'suppressed', 'unsubscribed', 'invalid_recipient', 'rendering', 'domain_unverified', 'quota_exhausted', 'provider_paused', 'provider_rejected',
  'provider_unavailable', 'hard_bounce', 'expired', 'cancelled', 'project_disabled', 'delivery_unconfirmed', 'frequency_cap',
] as const; // prettier-ignore
export type FailureKind = (typeof failureKinds)[number];

/** How an e-mail came about; usage is counted and limited by it. */
export const sourceTypes = ['TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW', 'INBOUND'] as const;
export type SourceType = (typeof sourceTypes)[number];
