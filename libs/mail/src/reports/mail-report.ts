/** What mail to a return path says (RFC 3464, RFC 5965, or in plain words). */
export type MailReportKind = 'DELIVERED' | 'SENT' | 'DELAYED' | 'SOFT_BOUNCED' | 'BOUNCED' | 'COMPLAINED';

export interface MailReport {
  form: 'dsn' | 'arf' | 'text';
  kind: MailReportKind;
  /** Enhanced status code (RFC 3463). */
  statusCode?: string;
  replyCode?: number;
  recipient?: string;
  detail?: string;
  /** The server that reports, or the one that refused the message. */
  host?: string;
  at?: Date;
  /** What may be the return path of the message: from the report itself and the returned message. */
  returnPaths: string[];
}

export interface Fields {
  get(name: string): string | undefined;
}

/** One block of header-like fields, with folded lines. The first field of a name counts. */
export function parseFields(block: string): Fields {
  const fields = new Map<string, string>();
  for (const line of block.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    if (!fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
  }
  return { get: (name) => fields.get(name) };
}

/** `dns; mx.example` becomes `mx.example`. */
export const afterType = (value: string | undefined): string | undefined =>
  value?.replace(/^[\w-]+\s*;\s*/, '').trim() || undefined;

export const dateIn = (value: string | undefined): { at?: Date } => {
  const time = Date.parse(value ?? '');
  return Number.isNaN(time) ? {} : { at: new Date(time) };
};
