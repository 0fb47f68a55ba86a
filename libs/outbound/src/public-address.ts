import ipaddr from 'ipaddr.js';

/** Answers with credentials of the machine; some of them lie in public ranges. Never allowed. */
const metadataAddresses: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
]);

/** IANA hands out addresses of the internet from this block only (RFC 4291 §2.4). */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/** Every block that carries an IPv4 address inside is refused, whatever that address is. */
export function isPublicAddress(address: string): boolean {
  const parsed = parse(address);
  if (parsed === null || isMetadataAddress(address)) return false;
  if (parsed.kind() === 'ipv4') return parsed.range() === 'unicast';
  return (
    parsed.range() === 'unicast' && (parsed as ipaddr.IPv6).match(globalUnicast as [ipaddr.IPv6, number])
  );
}

/** An IPv4 address inside an IPv6 one counts as well. */
export function isMetadataAddress(address: string): boolean {
  const parsed = parse(address);
  if (parsed === null) return false;
  if (parsed.kind() === 'ipv4') return metadataAddresses.has(parsed.toString());
  const bytes = parsed.toByteArray();
  const inside = [bytes.slice(12), bytes.slice(2, 6)].map((four) => four.join('.'));
  return metadataAddresses.has(parsed.toString()) || inside.some((each) => metadataAddresses.has(each));
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const withoutZone = address.replace(/%.*$/, '');
  return ipaddr.isValid(withoutZone) ? ipaddr.parse(withoutZone) : null;
}
