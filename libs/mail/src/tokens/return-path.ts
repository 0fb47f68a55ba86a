import { createHmac, timingSafeEqual } from 'node:crypto';
import { domainToASCII } from 'node:url';

export interface ReturnPathOptions {
  domain: string;
  secret: string | Buffer;
  mailbox?: string;
}

const macBytes = 10;

/** Variable envelope return path: the address of a bounce identifies the e-mail and cannot be forged (`bounces+<id>.<mac>@domain`). */
export function buildReturnPath(emailId: string, options: ReturnPathOptions): string {
  const id = compact(emailId);
  return `${options.mailbox ?? 'bounces'}+${id}.${macOf(id, options.secret).toString('hex')}@${domainToASCII(options.domain)}`;
}

export function parseReturnPath(address: string, options: ReturnPathOptions): string | undefined {
  const match = /^([^+@]+)\+([0-9a-f]{32})\.([0-9a-f]{20})@([^@]+)$/.exec(address.toLowerCase());
  if (match === null) return undefined;
  const [, mailbox, id, mac, domain] = match;
  const ours =
    mailbox === (options.mailbox ?? 'bounces').toLowerCase() &&
    domain === domainToASCII(options.domain).toLowerCase();
  return timingSafeEqual(macOf(id, options.secret), Buffer.from(mac, 'hex')) && ours ? expand(id) : undefined;
}

// RFC 5321 §4.5.3.1.1: a local part has 64 octets, so the uuid has no dashes and the MAC is cut to 80 bits.
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
