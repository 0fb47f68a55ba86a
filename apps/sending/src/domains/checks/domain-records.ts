import type {
  DomainRecord,
  RecordPurpose,
  RecordStatus,
  RecordType,
  SendingDomain,
} from '@posthorn/contracts';
import { dnsRecordOf } from '@posthorn/mail';
import type { SendingConfig } from '../../config.js';
import type { DkimKeyRow } from '../dkim/dkim-key.entity.js';
import type { DomainRow } from '../domain.entity.js';

/** What records point to: the hosts of this installation. */
export type RecordTargets = Pick<SendingConfig, 'mailHost' | 'spfInclude' | 'publicUrl'>;

/** Where mail of a domain comes back to, for whoever installed a host for it. */
export const mailFromOf = (domain: string, { mailHost }: RecordTargets): string | null =>
  mailHost ? `bounces.${domain}` : null;

/** Where tracking hosts of customers lead. */
export const trackingTarget = ({ publicUrl }: RecordTargets): string => new URL(publicUrl).hostname;

/** What has to stand in an SPF record. */
export const spfMechanism = ({ mailHost, spfInclude }: RecordTargets): string =>
  spfInclude ? `include:${spfInclude}` : `a:${mailHost}`;

/** What its owner pastes. A key that is retired stays in the list until nothing that it signed is on its way. */
function recordsOf(row: DomainRow, keys: readonly DkimKeyRow[], targets: RecordTargets): DomainRecord[] {
  const { domain, mailFromDomain, trackingHost, receivingEnabled } = row;
  const { mailHost } = targets;
  const dkim = keys.map((key) => {
    const { name, value } = dnsRecordOf({ ...key, domain });
    return record('DKIM', 'TXT', name, value, key.recordStatus);
  });
  const mailFrom =
    mailFromDomain && mailHost
      ? [
          record('RETURN_PATH', 'MX', mailFromDomain, `10 ${mailHost}`, row.mailFromStatus),
          record('SPF', 'TXT', mailFromDomain, `v=spf1 ${spfMechanism(targets)} ~all`, row.spfStatus),
        ]
      : [];
  const policy = record('DMARC', 'TXT', `_dmarc.${domain}`, 'v=DMARC1; p=none', row.dmarcStatus);
  const tracking = trackingHost
    ? [record('TRACKING', 'CNAME', trackingHost, trackingTarget(targets), row.trackingStatus)]
    : [];
  const receiving =
    receivingEnabled && mailHost
      ? [record('RECEIVING', 'MX', domain, `10 ${mailHost}`, row.receivingStatus)]
      : [];
  return [...dkim, ...mailFrom, policy, ...tracking, ...receiving];
}

/** The domain as its project sees it. */
export function toSendingDomain(
  row: DomainRow,
  keys: readonly DkimKeyRow[],
  targets: RecordTargets,
): SendingDomain {
  const { projectId, id, domain, verified, region, stream, streamDefault, defaultFromAddress } = row;
  const {
    spfStatus,
    dmarcStatus,
    mailFromDomain,
    mailFromStatus,
    trackingHost,
    trackingStatus,
    receivingEnabled,
  } = row;
  const { lastCheckedAt, createdAt, updatedAt } = row;
  const own = { projectId, id, domain, verified, region, stream, streamDefault, defaultFromAddress };
  const found = {
    spfStatus,
    dmarcStatus,
    mailFromDomain,
    mailFromStatus,
    trackingHost,
    trackingStatus,
    receivingEnabled,
  };
  const records = recordsOf(row, keys, targets);
  return { ...own, ...found, dkimStatus: dkimStatusOf(keys), records, lastCheckedAt, createdAt, updatedAt };
}

/** Of each kind the key that signs, or the one that waits where none does. */
export function keysPublished(keys: readonly DkimKeyRow[]): DkimKeyRow[] {
  const active = keys.filter(({ state }) => state === 'ACTIVE');
  const waiting = keys.filter(
    ({ state, algorithm }) => state === 'PENDING' && !active.some((key) => key.algorithm === algorithm),
  );
  return [...active, ...waiting];
}

/** The first of these that a key has. */
const bySeverity: readonly RecordStatus[] = ['FAILED', 'PENDING', 'NOT_CHECKED', 'VERIFIED'];

function dkimStatusOf(keys: readonly DkimKeyRow[]): RecordStatus {
  const statuses = keysPublished(keys).map(({ recordStatus }) => recordStatus);
  return bySeverity.find((status) => statuses.includes(status)) ?? 'NOT_CHECKED';
}

const record = (
  purpose: RecordPurpose,
  type: RecordType,
  name: string,
  value: string,
  status: RecordStatus,
): DomainRecord => ({
  purpose,
  type,
  name,
  value,
  status,
});
