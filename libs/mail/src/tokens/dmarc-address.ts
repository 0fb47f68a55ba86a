import { createHmac, timingSafeEqual } from 'node:crypto';
import { domainToASCII } from 'node:url';

const macBytes = 10;
const pattern = /^dmarc\+([0-9a-f]{32})\.([0-9a-f]{20})@[^@]+$/;

/** `dmarc+<project>.<mac>@domain`: where receivers send what they saw in the name of the project's domains (RFC 7489 §7.1). */
export function buildDmarcAddress(
  projectId: string,
  { domain, secret }: { domain: string; secret: string | Buffer },
): string {
  const name = projectId.replaceAll('-', '').toLowerCase();
  return `dmarc+${name}.${macOf(name, secret).toString('hex')}@${domainToASCII(domain)}`;
}

/** The project. Null for any other address and a forged one. */
export function readDmarcAddress(address: string, secrets: readonly (string | Buffer)[]): string | null {
  const [, name, mac] = pattern.exec(address.toLowerCase()) ?? [];
  if (name === undefined || mac === undefined) return null;
  const isOurs = secrets.some((secret) => timingSafeEqual(macOf(name, secret), Buffer.from(mac, 'hex')));
  return isOurs ? name.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') : null;
}

const macOf = (name: string, secret: string | Buffer): Buffer =>
  createHmac('sha256', secret).update('dmarc:').update(name).digest().subarray(0, macBytes);
