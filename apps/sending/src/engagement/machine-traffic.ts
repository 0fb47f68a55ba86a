import type { Engagement, MachineReason } from '@posthorn/contracts';
import { isbot } from 'isbot';

/** Image proxies fetch for a reader who has the message open. */
const readersProxies = /GoogleImageProxy|YahooMailProxy/i;
const scanners =
  /barracuda|mimecast|proofpoint|symantec|trendmicro|fireeye|ironport|sophos|safelinks|linkpreview|urlscan/i;
/** The privacy proxy of a mail client, which fetches every message on arrival. */
const privateRelay = /^Mozilla\/5\.0$/;

/** Null where it may be a person. The database also judges by the time. */
export function machineReasonOf({
  kind,
  userAgent = '',
  head = false,
}: Pick<Engagement, 'kind' | 'userAgent' | 'head'>): MachineReason | null {
  if (head) return 'HEAD';
  if (privateRelay.test(userAgent)) return 'PREFETCH';
  // An image proxy follows no links.
  if (readersProxies.test(userAgent)) return kind === 'OPEN' ? null : 'BOT';
  return userAgent === '' || scanners.test(userAgent) || isbot(userAgent) ? 'BOT' : null;
}
