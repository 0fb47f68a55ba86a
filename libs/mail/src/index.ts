export { buildMessage, type BuiltMessage } from './message.js';
export { nextRetry } from './retry-schedule.js';
export { buildReturnPath } from './return-path.js';
export type { Attempt } from './smtp-attempt.js';
export { SmtpPool, type SmtpPoolState } from './smtp-pool.js';
export type { SmtpDelivery } from './smtp-transaction.js';
export { parseSmtpUrl } from './smtp-url.js';
export { classify } from './verdict.js';
