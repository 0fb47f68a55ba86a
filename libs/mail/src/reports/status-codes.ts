import type { MailReport, MailReportKind } from './mail-report.js';

export type Codes = Pick<MailReport, 'statusCode' | 'replyCode'>;

const enhanced = /(?:^|[^\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.]*\d)/;
const reply = /(?:^|[\s;:'"(<\[])([245][0-5]\d)(?=[\s-]|$)/;
/** The mailbox is full, or the server is: a permanent code, and yet the address may work later. */
const passing = new Set(['5.2.2', '5.3.1', '5.3.2', '5.4.5']);

/** The codes in a reply of a server, as `550 5.1.1 …` or `smtp; 550-5.1.1 …`. */
export function codesIn(text: string | undefined): Codes {
  const statusCode = enhanced.exec(text ?? '')?.[1];
  const replyCode = reply.exec(text ?? '')?.[1];
  return { ...(statusCode ? { statusCode } : {}), ...(replyCode ? { replyCode: Number(replyCode) } : {}) };
}

export function bounceKind({ statusCode, replyCode }: Codes): MailReportKind {
  if (statusCode) return statusCode.startsWith('5') && !passing.has(statusCode) ? 'BOUNCED' : 'SOFT_BOUNCED';
  if (replyCode === 552) return 'SOFT_BOUNCED';
  return replyCode !== undefined && replyCode >= 500 ? 'BOUNCED' : 'SOFT_BOUNCED';
}
