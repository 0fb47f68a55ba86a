import { publishedAddressOf, type Caller, type ConsentSource } from '@posthorn/contracts';
import type { ContactRow } from '../contact.entity.js';
import type { CustomFields } from './custom-fields.js';

/** Who changes a contact, and by which way: kept with every change of its subscription. */
export interface WriteOrigin {
  source: ConsentSource;
  actor: Caller['actor'] | null;
  /** The client's address, and what it calls itself. */
  address: string | null;
  /** That address where events may tell it. */
  publishedAddress: string | null;
  userAgent: string | null;
  /** What the person agreed to. */
  text: string | null;
}

/** What is to become of the contact of one address. */
export interface ContactWrite {
  projectId: string;
  email: string;
  /** Absent keeps it. */
  subscribed?: boolean;
  /** Of a contact that comes to be, where nothing is said; true. */
  subscribedWhenNew?: boolean;
  customFields?: CustomFields;
  /** MERGE; a null removes a field either way. */
  customFieldsMode?: 'MERGE' | 'REPLACE';
  /** NEW leaves a contact that is there as it is, KNOWN makes none. */
  only?: 'NEW' | 'KNOWN';
  /** Whoever writes tells of the new ones in one event: none for each. */
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

/** What became of one write. SKIPPED is what `only` left alone. */
export interface WrittenContact {
  outcome: 'CREATED' | 'UPDATED' | 'UNCHANGED' | 'SKIPPED' | 'REFUSED';
  /** As it is afterwards; null where there is none. */
  contact: ContactRow | null;
  before: ContactBefore | null;
  /** Why it was refused. */
  error: Error | null;
}

/** The contact that a write came to, or why there is none. */
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
  address: caller?.address ?? null,
  publishedAddress: caller ? publishedAddressOf(caller) : null,
  userAgent: caller?.userAgent ?? null,
});

/** Of what a client asks for: people use the dashboard, keys the API. */
export const requestedBy = (caller: Caller): WriteOrigin =>
  originOf(caller, caller.actor.kind === 'USER' ? 'DASHBOARD' : 'API');

type Addressed = Pick<ContactWrite, 'projectId' | 'email'>;

export const keyOf = ({ projectId, email }: Addressed): string => projectId.toLowerCase() + email;

/** Batches write in this order, whoever writes: two then wait for one another, never both. By bytes, as Postgres compares. */
export function inOrder<Row extends Addressed>(rows: readonly Row[]): Row[] {
  const keyed = rows.map((row) => ({ row, key: Buffer.from(keyOf(row)) }));
  return keyed.sort((one, other) => Buffer.compare(one.key, other.key)).map(({ row }) => row);
}

/** Both as one write, in their order; null where only one after the other says the same. */
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
    first.inBulk === second.inBulk &&
    one.source === other.source &&
    one.actor?.id === other.actor?.id &&
    one.address === other.address &&
    one.publishedAddress === other.publishedAddress &&
    one.userAgent === other.userAgent &&
    one.text === other.text
  );
}

/** When the first of them has to be done; null where none has to. */
export function earliestOf(calls: readonly { deadline?: Date | null }[]): Date | null {
  const deadlines = calls.flatMap(({ deadline }) => (deadline ? [deadline.getTime()] : []));
  return deadlines.length > 0 ? new Date(Math.min(...deadlines)) : null;
}
