import type { Engagement, MachineReason } from '@posthorn/contracts';
import { isbot } from 'isbot';

/** They fetch for a reader who has the message open, and hide who that is. */
const readersProxies = /GoogleImageProxy|YahooMailProxy/i;
/** Programs that look at mail before people do, and say so. */
const scanners =
  /barracuda|mimecast|proofpoint|symantec|trendmicro|fireeye|ironport|sophos|safelinks|linkpreview|urlscan/i;
/** How the private relay of one mail client introduces itself: it fetches every message on arrival, read or not. */
const privateRelay = /^Mozilla\/5\.0$/;

/** Why it is no person's doing; null where it may be one's. What its time says of it is known to the database alone. */
export function machineReasonOf({
  kind,
  userAgent = '',
  head = false,
}: Pick<Engagement, 'kind' | 'userAgent' | 'head'>): MachineReason | null {
  if (head) return 'HEAD';
  if (privateRelay.test(userAgent)) return 'PREFETCH';
  // A proxy of pictures follows no links.
  if (readersProxies.test(userAgent)) return kind === 'OPEN' ? null : 'BOT';
  return userAgent === '' || scanners.test(userAgent) || isbot(userAgent) ? 'BOT' : null;
}
