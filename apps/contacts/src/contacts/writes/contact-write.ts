import {
  publishedIpAddressOf,
  type Caller,
  type ConsentSource,
  type SuppressionReason,
} from '@posthorn/contracts';
import type { ContactRow } from '../contact.entity.js';
import type { CustomFields } from './custom-fields.js';

export interface WriteOrigin {
  source: ConsentSource;
  actor: Caller['actor'] | null;
  address: string | null;
  /** The same where events may contain it. */
  publishedAddress: string | null;
  userAgent: string | null;
  text: string | null;
}

export interface ContactWrite {
  projectId: string;
  email: string;
  subscribed?: boolean;
  /** Of a new contact, where `subscribed` is absent; true by default. */
  subscribedWhenNew?: boolean;
  /** With `subscribed: false`: the address is suppressed for all mail as well. */
  suppress?: SuppressionReason;
  customFields?: CustomFields;
  /** MERGE by default; a null removes a field in both modes. */
  customFieldsMode?: 'MERGE' | 'REPLACE';
  /** NEW leaves an existing contact unchanged, KNOWN creates none. */
  only?: 'NEW' | 'KNOWN';
  /** New contacts are published as one `bulk_created` event, not one each. */
  inBulk?: boolean;
  /** Postgres time; past it nothing is written. */
  deadline?: Date | null;
  origin: WriteOrigin;
}

export interface ContactBefore {
  subscribed: boolean;
  customFields: CustomFields;
  seq: number;
}

export interface WrittenContact {
  outcome: 'CREATED' | 'UPDATED' | 'UNCHANGED' | 'SKIPPED' | 'REFUSED';
  contact: ContactRow | null;
  before: ContactBefore | null;
  error: Error | null;
}

export function contactOf({ contact, error }: WrittenContact): ContactRow {
  if (!contact) throw error ?? new Error('a write without a contact');
  return contact;
}

export const refused = (error: Error): WrittenContact => ({
  outcome: 'REFUSED',
  contact: null,
  before: null,
  error,
});

export const originOf = (
  caller: Caller | undefined,
  source: ConsentSource,
  text: string | null = null,
): WriteOrigin => ({
  source,
  text,
  actor: caller?.actor ?? null,
  address: caller?.ipAddress ?? null,
  publishedAddress: caller ? publishedIpAddressOf(caller) : null,
  userAgent: caller?.userAgent ?? null,
});

export const requestedBy = (caller: Caller): WriteOrigin =>
  originOf(caller, caller.actor.kind === 'USER' ? 'DASHBOARD' : 'API');

type Addressed = Pick<ContactWrite, 'projectId' | 'email'>;

export const keyOf = ({ projectId, email }: Addressed): string => projectId.toLowerCase() + email;

/** The order of all batches, so that two of them never deadlock: by bytes, as Postgres compares. */
export function inOrder<Row extends Addressed>(rows: readonly Row[]): Row[] {
  const keyed = rows.map((row) => ({ row, key: Buffer.from(keyOf(row)) }));
  return keyed.sort((one, other) => Buffer.compare(one.key, other.key)).map(({ row }) => row);
}

/** Both writes as one; null where that would have another result than one after the other. */
export function folded(first: ContactWrite, second: ContactWrite): ContactWrite | null {
  const { subscribed = second.subscribed } = first;
  const differ = second.subscribed !== undefined && subscribed !== second.subscribed;
  const merge = first.customFieldsMode !== 'REPLACE' && second.customFieldsMode !== 'REPLACE';
  if (differ || !merge || first.only || second.only || !isSameOrigin(first, second)) return null;
  const customFields =
    first.customFields && second.customFields ? { ...first.customFields, ...second.customFields } : undefined;
  return {
    ...first,
    subscribed,
    customFields: customFields ?? first.customFields ?? second.customFields,
    deadline: earliestOf([first, second]),
  };
}

function isSameOrigin(first: ContactWrite, second: ContactWrite): boolean {
  const [one, other] = [first.origin, second.origin];
  return (
    first.subscribedWhenNew === second.subscribedWhenNew &&
    first.suppress === second.suppress &&
    first.inBulk === second.inBulk &&
    one.source === other.source &&
    one.actor?.id === other.actor?.id &&
    one.address === other.address &&
    one.publishedAddress === other.publishedAddress &&
    one.userAgent === other.userAgent &&
    one.text === other.text
  );
}

export function earliestOf(calls: readonly { deadline?: Date | null }[]): Date | null {
  const deadlines = calls.flatMap(({ deadline }) => (deadline ? [deadline.getTime()] : []));
  return deadlines.length > 0 ? new Date(Math.min(...deadlines)) : null;
}
