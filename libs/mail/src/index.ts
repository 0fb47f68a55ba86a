export { buildMessage } from './message/message.js';
export type { MailAttachment } from './message/mime-part.js';
export { ConfirmTokens } from './tokens/confirm-token.js';
export {
  dnsRecordOf,
  generateKeyPair,
  signMessage,
  type SigningAlgorithm,
  type SigningKey,
} from './message/dkim.js';
export { EngagementTokens, type UnsubscribeTarget } from './tokens/engagement-token.js';
export { readHeaders } from './message/read-headers.js';
export { nextRetry } from './smtp/retry-schedule.js';
export {
  buildReturnPath,
  containsReturnPath,
  readReturnPath,
  type ReturnPathTarget,
} from './tokens/return-path.js';
export { bytesOf, SignedBytes, uuidBytes } from './message/signed-bytes.js';
export type { Attempt } from './smtp/smtp-attempt.js';
export { providerMessageIdOf } from './smtp/provider-message-id.js';
export { slowDownOf } from './smtp/slow-down.js';
export { SmtpPool, smtpPauseChannel, type SmtpPause, type SmtpPoolState } from './smtp/smtp-pool.js';
export type { SmtpDelivery } from './smtp/smtp-transaction.js';
export { parseSmtpUrl } from './smtp/smtp-url.js';
export { textFromHtml } from './message/text-part.js';
export { manageUrl, trackHtml, unsubscribeUrl, unsubscribePrefixes } from './message/tracked-links.js';
export { unsubscribeHeaders } from './message/unsubscribe-headers.js';
export { classify, isDeadAddress } from './smtp/classify-attempt.js';
export { readMailReport, type ReportEnvelope } from './reports/read-mail-report.js';
export type { MailReport } from './reports/mail-report.js';
export { buildDmarcAddress, readDmarcAddress } from './tokens/dmarc-address.js';
export type { DmarcPolicy, DmarcReport, DmarcRow } from './reports/dmarc-report.js';
export { readDmarcMail } from './reports/read-dmarc-mail.js';
