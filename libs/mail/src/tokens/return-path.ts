import { createHmac, timingSafeEqual } from 'node:crypto';
import { domainToASCII } from 'node:url';

export interface ReturnPathOptions {
  domain: string;
  secret: string | Buffer;
  /** The local part before the `+`. */
  mailbox?: string;
}

const macBytes = 10;

/** Variable envelope return path: a bounce to it names the e-mail, and nobody can make one up (`bounces+<id>.<mac>@domain`). */
export function buildReturnPath(emailId: string, options: ReturnPathOptions): string {
  const id = compact(emailId);
  return `${options.mailbox ?? 'bounces'}+${id}.${macOf(id, options.secret).toString('hex')}@${domainToASCII(options.domain)}`;
}

/** The e-mail id, or undefined for an address that we did not make. Mailbox names change case on the way, hence hex throughout. */
export function parseReturnPath(address: string, options: ReturnPathOptions): string | undefined {
  const match = /^([^+@]+)\+([0-9a-f]{32})\.([0-9a-f]{20})@([^@]+)$/.exec(address.toLowerCase());
  if (match === null) return undefined;
  const [, mailbox, id, mac, domain] = match;
  const ours =
    mailbox === (options.mailbox ?? 'bounces').toLowerCase() &&
    domain === domainToASCII(options.domain).toLowerCase();
  return timingSafeEqual(macOf(id, options.secret), Buffer.from(mac, 'hex')) && ours ? expand(id) : undefined;
}

// RFC 5321 §4.5.3.1.1: 64 octets for a local part, so a uuid travels without its dashes and the MAC is cut to 80 bits.
function compact(emailId: string): string {
  const id = emailId.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(id)) throw new RangeError('a return path carries a uuid');
  return id;
}

function expand(id: string): string {
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function macOf(id: string, secret: string | Buffer): Buffer {
  return createHmac('sha256', secret).update('return-path:').update(id).digest().subarray(0, macBytes);
}
