import {
  afterType,
  dateIn,
  parseFields,
  type Fields,
  type MailReport,
  type MailReportKind,
} from './mail-report.js';
import { bounceKind, codesIn, type Codes } from './status-codes.js';

const maxDetail = 1_000;
/** The most severe one counts where a report has several recipients. */
const severity: readonly MailReportKind[] = ['BOUNCED', 'SOFT_BOUNCED', 'DELAYED', 'DELIVERED', 'SENT'];

/** The content of a `message/delivery-status` part (RFC 3464 §2). Null where it names no recipient. */
export function readDeliveryStatus(content: string): Omit<MailReport, 'returnPaths'> | null {
  const blocks = content
    .replace(/^\s+/, '')
    .split(/(?:\r?\n[ \t]*){2,}/)
    .map(parseFields);
  const message = blocks.find((block) => block.get('reporting-mta') !== undefined);
  const recipients = blocks.filter((block) => block.get('final-recipient') ?? block.get('action'));
  const reports = recipients.flatMap((recipient) => readRecipient(recipient, message));
  return reports.sort((one, other) => severity.indexOf(one.kind) - severity.indexOf(other.kind))[0] ?? null;
}

function readRecipient(recipient: Fields, message: Fields | undefined): Omit<MailReport, 'returnPaths'>[] {
  const diagnostic = afterType(recipient.get('diagnostic-code'));
  const said = codesIn(diagnostic);
  // What the server said is more precise than what its client made of it, such as 5.0.0.
  const codes: Codes = { ...codesIn(recipient.get('status')), ...said };
  const kind = kindOf(recipient.get('action')?.toLowerCase(), codes);
  const address = afterType(recipient.get('original-recipient') ?? recipient.get('final-recipient'));
  const host = afterType(recipient.get('remote-mta')) ?? afterType(message?.get('reporting-mta'));
  if (!kind) return [];
  return [
    {
      form: 'dsn',
      kind,
      ...codes,
      ...(address ? { recipient: address } : {}),
      ...(diagnostic ? { detail: diagnostic.slice(0, maxDetail) } : {}),
      ...(host ? { host: host.slice(0, 255) } : {}),
      ...dateIn(recipient.get('last-attempt-date') ?? message?.get('arrival-date')),
    },
  ];
}

function kindOf(action: string | undefined, codes: Codes): MailReportKind | null {
  // Comments are allowed: `failed (bad destination mailbox address)`.
  switch (action?.split(/[\s(;]/)[0]) {
    case 'failed':
      return bounceKind(codes);
    case 'delayed':
      return 'DELAYED';
    case 'delivered':
    case 'expanded':
      return 'DELIVERED';
    case 'relayed':
      return 'SENT';
    default:
      return codes.statusCode?.startsWith('5') ? bounceKind(codes) : null;
  }
}
