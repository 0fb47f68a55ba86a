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

export type RecordTargets = Pick<SendingConfig, 'mailHost' | 'spfInclude' | 'publicUrl'>;

export const mailFromOf = (domain: string, { mailHost }: RecordTargets): string | null =>
  mailHost ? `bounces.${domain}` : null;

export const trackingTarget = ({ publicUrl }: RecordTargets): string => new URL(publicUrl).hostname;

const spfMechanism = ({ mailHost, spfInclude }: RecordTargets): string =>
  spfInclude ? `include:${spfInclude}` : `a:${mailHost}`;

/** A retired key stays listed while mail that it signed may be in transit. */
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
          record(
            'SPF',
            'TXT',
            mailFromDomain,
            `v=spf1 ${spfMechanism(targets)} ~all`,
            row.spfStatus,
            row.spfProblem,
          ),
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

export function toSendingDomain(
  row: DomainRow,
  keys: readonly DkimKeyRow[],
  targets: RecordTargets,
): SendingDomain {
  const { projectId, id, domain, verified, region, category, isCategoryDefault, defaultFromAddress } = row;
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
  const defaults = { stream: category, streamDefault: isCategoryDefault, defaultFromAddress };
  const own = { projectId, id, domain, verified, region, ...defaults };
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

export function keysPublished(keys: readonly DkimKeyRow[]): DkimKeyRow[] {
  const active = keys.filter(({ state }) => state === 'ACTIVE');
  const waiting = keys.filter(
    ({ state, algorithm }) => state === 'PENDING' && !active.some((key) => key.algorithm === algorithm),
  );
  return [...active, ...waiting];
}

/** The status of several keys is the first of these that one of them has. */
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
  problem: string | null = null,
): DomainRecord => ({
  purpose,
  type,
  name,
  value,
  status,
  problem: status === 'FAILED' ? problem : null,
});
