import { createHmac, timingSafeEqual } from 'node:crypto';
import { domainToASCII } from 'node:url';

export interface ReturnPathTarget {
  emailId: string;
  /** 0 is the main recipient, followed by those of copies; at most 99. */
  position: number;
}

const macBytes = 10;
const mailbox = 'bounces';
const localPart = `${mailbox}\\+([0-9a-f]{32}(?:-[1-9]\\d?)?)\\.([0-9a-f]{20})`;
const pattern = new RegExp(`^${localPart}@[^@]+$`);
const anywhere = new RegExp(`${localPart}@`, 'gi');
/** A stranger may repeat a wrong one as often as a mail has room for it. */
const maxTried = 20;

/** `bounces+<id>[-<position>].<mac>@domain`: a bounce identifies its message and cannot be forged. */
export function buildReturnPath(
  target: ReturnPathTarget,
  { domain, secret }: { domain: string; secret: string | Buffer },
): string {
  const name = nameOf(target);
  return `${mailbox}+${name}.${macOf(name, secret).toString('hex')}@${domainToASCII(domain)}`;
}

/** Null for any other address and a forged one. Every domain of a sender may be that of a return path. */
export function readReturnPath(
  address: string,
  secrets: readonly (string | Buffer)[],
): ReturnPathTarget | null {
  const match = pattern.exec(address.toLowerCase());
  if (match === null) return null;
  const [, name, mac] = match as unknown as [string, string, string];
  if (!secrets.some((secret) => timingSafeEqual(macOf(name, secret), Buffer.from(mac, 'hex')))) return null;
  const [id, position = '0'] = name.split('-') as [string, string?];
  return {
    emailId: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    position: Number(position),
  };
}

/** Whether a mail contains one, before anything of it is parsed. */
export function containsReturnPath(raw: Buffer, secrets: readonly (string | Buffer)[]): boolean {
  let tried = 0;
  for (const [found] of raw.toString('latin1').matchAll(anywhere)) {
    if (readReturnPath(`${found}domain`, secrets)) return true;
    if ((tried += 1) === maxTried) break;
  }
  return false;
}

// RFC 5321 §4.5.3.1.1: a local part has 64 octets, so no dashes and a MAC of 80 bits.
function nameOf({ emailId, position }: ReturnPathTarget): string {
  const id = emailId.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(id) || !(position >= 0 && position < 100))
    throw new RangeError('a return path carries a uuid and a position below 100');
  return position === 0 ? id : `${id}-${position}`;
}

function macOf(name: string, secret: string | Buffer): Buffer {
  return createHmac('sha256', secret).update('return-path:').update(name).digest().subarray(0, macBytes);
}
