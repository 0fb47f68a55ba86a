import { domainToASCII } from 'node:url';

export interface Mailbox {
  email: string;
  name?: string;
}

const maxAddress = 254;
const maxLocalPart = 64;
/** With blanks around it. */
const maxWritten = 4_096;
const maxName = 255;
// An RFC 5321 dot-string with RFC 6531 characters. Quoted local parts are unused in practice and hide attacks.
const localPart =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+)*$/u;
/** Matches names that are already in A-label form, which avoids the slow IDNA conversion for most addresses. */
const plainDomain = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
// Checked before trimming: bad input is refused, not repaired (docs/guarantees.md §6).
const lineBreak = /[\r\n\u2028\u2029]/;
const unsafe = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029\ufeff]/u;

/** Characters that nobody sees: with one of them inside, an address would be another person with the same looks. */
const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/u;
const atEdge = /^[\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]$/u;

/** Nothing at the edges, nothing invisible, one normal form: most addresses are spared the looks for them. */
const visibleAscii = /^[!-~]+$/;

/** Copied text brings them along. An expression that looks for them at the end takes quadratic time. */
function withoutEdges(text: string): string {
  const letters = [...text.slice(0, maxWritten)];
  const start = letters.findIndex((letter) => !atEdge.test(letter));
  const end = letters.findLastIndex((letter) => !atEdge.test(letter));
  return start === -1 ? '' : letters.slice(start, end + 1).join('');
}

/** Trimmed, lower-cased, with A-labels (docs/api-decisions.md §1); null if it is not an address. */
export function normaliseAddress(text: string): string | null {
  if (lineBreak.test(text) || text.length > maxWritten) return null;
  const address = visibleAscii.test(text) ? text : withoutEdges(text).normalize('NFC');
  if (invisible.test(address)) return null;
  const at = address.lastIndexOf('@');
  if (address.length > maxAddress || at < 1 || at > maxLocalPart) return null;
  const local = address.slice(0, at).toLowerCase();
  const domain = normaliseDomain(address.slice(at + 1));
  if (domain === null || unsafe.test(local) || !localPart.test(local)) return null;
  const normal = `${local}@${domain}`;
  return Buffer.byteLength(normal) <= maxAddress && Buffer.byteLength(local) <= maxLocalPart ? normal : null;
}

// Characters that the URL parser would strip, decode or interpret; IDNA drops invisible ones.
const noName = /[\s%/?#@:\\[\]<>]/;

/** The domain as A-labels; empty if it cannot be one. */
export const toAscii = (domain: string): string =>
  noName.test(domain) || invisible.test(domain) ? '' : domainToASCII(domain).toLowerCase();

/** A host name of at least two labels as A-labels; null for IP literals, ports and invalid names. */
export function normaliseDomain(text: string): string | null {
  const lower = text.toLowerCase();
  if (plainDomain.test(lower) && !lower.includes('xn--')) return lower.length <= 253 ? lower : null;
  const ascii = toAscii(lower);
  const labels = ascii.split('.');
  const named = labels.length > 1 && !/^\d+$/.test(labels[labels.length - 1] ?? '');
  return named && ascii.length <= 253 && labels.every((part) => label.test(part)) ? ascii : null;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** `a@b.c`, `Name <a@b.c>`, `"Last, First" <a@b.c>` or `{ email, name }`; null for anything else. */
export function parseMailbox(value: unknown): Mailbox | null {
  if (typeof value === 'string') return fromText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { email, name, ...rest } = value as Record<string, unknown>;
  if (typeof email !== 'string' || Object.keys(rest).length > 0) return null;
  if (name !== undefined && name !== null && typeof name !== 'string') return null;
  return mailbox(email, name ?? '');
}

function fromText(text: string): Mailbox | null {
  if (lineBreak.test(text) || text.length > maxWritten) return null;
  const trimmed = withoutEdges(text);
  const opening = trimmed.endsWith('>') ? trimmed.lastIndexOf('<') : -1;
  if (opening === -1) return mailbox(text, '');
  const name = nameOf(trimmed.slice(0, opening).trim());
  return name === null ? null : mailbox(trimmed.slice(opening + 1, -1), name);
}

// Separate expressions: one for the whole mailbox takes cubic time for a long row of blanks.
function nameOf(text: string): string | null {
  if (!text.startsWith('"')) return /^[^<>"@,;:]*$/.test(text) ? text : null;
  const quoted = /^"((?:[^"\\]|\\.)*)"$/su.exec(text)?.[1];
  return quoted?.replace(/\\(.)/gsu, '$1') ?? null;
}

function mailbox(address: string, name: string): Mailbox | null {
  const email = normaliseAddress(address);
  const trimmed = name.trim();
  if (email === null || trimmed.length > maxName || /[\u0000-\u001f\u007f\u2028\u2029]/u.test(name))
    return null;
  return trimmed === '' ? { email } : { email, name: trimmed };
}
