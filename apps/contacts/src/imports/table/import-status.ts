import { importedStatuses, type ImportedStatus } from '@posthorn/contracts';

/**
 * How a column says who may be mailed: by a word for each state, by a flag of those who agreed, or by a flag or
 * an instant of those who left.
 */
export interface StatusReading {
  kind: 'WORDS' | 'AGREED' | 'LEFT';
  /** What an affirmative cell of LEFT means, and a negative one of AGREED. */
  means: ImportedStatus;
  /** What an empty cell means, where only those who agreed have a value. */
  empty?: ImportedStatus;
  /** What the caller says that values mean, by their text in lower case. */
  values?: Readonly<Record<string, ImportedStatus>>;
}

/** Upper and lower case, accents, blanks and punctuation make no difference. */
export const labelOf = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

const listed = (words: string): string[] => words.split(' ').map(labelOf);

/** Said of a subscription only; in English, German, French, Spanish, Italian, Portuguese and Dutch. */
const plainWords: Readonly<Record<ImportedStatus, readonly string[]>> = {
  SUBSCRIBED: listed(
    'subscribed opted-in opt-in abonniert angemeldet abonné inscrit suscrito iscritto inscrito geabonneerd aangemeld',
  ),
  UNSUBSCRIBED: listed(
    'unsubscribed unsubscribe unsub opted-out opt-out not-subscribed globally-unsubscribed blocklisted blacklisted suppressed do-not-contact do-not-email abgemeldet ausgetragen désabonné désinscrit baja desuscrito disiscritto descadastrado uitgeschreven afgemeld',
  ),
  PENDING: listed(
    'unconfirmed not-confirmed awaiting-confirmation pending-confirmation confirmation-pending opt-in-pending double-opt-in-pending never-subscribed non-subscribed unbestätigt non-confirmé',
  ),
  BOUNCED: listed('bounced bounce hard-bounced hard-bounce undeliverable unreachable cleaned unzustellbar'),
  COMPLAINED: listed(
    'complained complaint complainer spam marked-as-spam spam-complaint spam-report reported-spam reported-as-spam abuse abuse-complaint junk',
  ),
};

/** Said of other things as well, such as a plan or an order. */
const vagueWords: Readonly<Record<ImportedStatus, readonly string[]>> = {
  SUBSCRIBED: listed('active enabled confirmed aktiv actif activo attivo ativo actief'),
  UNSUBSCRIBED: listed(
    'inactive disabled cancelled canceled removed deleted blocked inaktiv inactif inactivo inattivo inativo inactief',
  ),
  PENDING: listed('pending waiting validating needs-attention unverified ausstehend en-attente pendiente'),
  BOUNCED: listed('invalid'),
  COMPLAINED: [],
};

const byWord = (
  words: Readonly<Record<ImportedStatus, readonly string[]>>,
): ReadonlyMap<string, ImportedStatus> =>
  new Map(importedStatuses.flatMap((status) => words[status].map((word) => [word, status] as const)));
const plain = byWord(plainWords);
const vague = byWord(vagueWords);

const yes = new Set(listed('true yes y 1 on ja j oui o sí s sim da да wahr vrai verdadero'));
const no = new Set(listed('false no n 0 off nein non não nee нет falsch faux falso'));
const instant = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:\D.*)?$|^\d{8}$|^\d{10,13}$/;
const year = /\b(?:19|20)\d\d\b/;
const isInstant = (text: string): boolean =>
  instant.test(text) || (year.test(text) && !Number.isNaN(Date.parse(text)));

/** Undefined for a cell that says nothing, null for one that is not understood. */
export function statusOf(
  { kind, means, empty, values }: StatusReading,
  cell: string,
): ImportedStatus | undefined | null {
  const text = cell.trim();
  if (values && Object.hasOwn(values, text.toLowerCase())) return values[text.toLowerCase()]!;
  if (text === '') return empty;
  const label = labelOf(text);
  const word = plain.get(label) ?? vague.get(label);
  if (word) return word;
  if (kind === 'LEFT') {
    if (no.has(label)) return undefined;
    return yes.has(label) || isInstant(text) ? means : null;
  }
  if (yes.has(label) || (kind === 'AGREED' && isInstant(text))) return 'SUBSCRIBED';
  return no.has(label) ? means : null;
}

/** Columns of exports, by their labels. */
const namedLeft: Readonly<Record<string, ImportedStatus>> = Object.fromEntries([
  ...listed(
    'unsubscribed is-unsubscribed unsubscribed-from-all-email email-disabled opted-out has-opted-out has-opted-out-of-email email-opt-out opt-out do-not-email do-not-contact do-not-mail blocklisted blacklisted is-blacklisted email-blacklisted suppressed abgemeldet désabonné unsubscribed-at unsubscribed-on unsubscribe-date unsub-time opt-out-time opted-out-at unsubscribe-time date-unsubscribed',
  ).map((label) => [label, 'UNSUBSCRIBED'] as const),
  ...listed('bounced is-bounced hard-bounced bounced-at hard-bounced-at clean-time cleaned-at').map(
    (label) => [label, 'BOUNCED'] as const,
  ),
  ...listed('complained is-complained complained-at spam-complaint marked-as-spam').map(
    (label) => [label, 'COMPLAINED'] as const,
  ),
]);

const namedAgreed: Readonly<Record<string, ImportedStatus>> = Object.fromEntries([
  ...listed(
    'is-subscribed newsletter newsletter-opt-in newsletter-abo opt-in opted-in email-opt-in marketing-opt-in opt-in-marketing accepts-marketing accepts-email-marketing email-marketing email-marketing-consent email-consent marketing-consent consent permission email-permission email-subscribed email-enabled einwilligung werbeeinwilligung abonniert abonné suscrito iscritto inscrito',
  ).map((label) => [label, 'UNSUBSCRIBED'] as const),
  ...listed('confirmed is-confirmed email-confirmed double-opt-in').map(
    (label) => [label, 'PENDING'] as const,
  ),
]);

const namedStatus = new Set(
  listed(
    'status subscription-status subscriber-status email-status mail-status marketing-status email-marketing-status email-subscription-status contact-status member-status opt-in-status newsletter-status statut',
  ),
);
/** These also name regions. */
const maybeStatus = new Set(listed('state stato estado stan zustand'));

/** A column with more different values says something else. */
const maxValues = 30;

export interface FoundStatus {
  reading: StatusReading;
  unclear: readonly string[];
}

/** Of a column that says who may be mailed, by its name and the values at the beginning of the table; null for any other. */
export function statusColumn(name: string, values: readonly string[]): FoundStatus | null {
  const label = labelOf(name);
  const distinct = distinctOf(values);
  if (Object.hasOwn(namedLeft, label)) return flags({ kind: 'LEFT', means: namedLeft[label]! }, distinct);
  if (Object.hasOwn(namedAgreed, label))
    return flags({ kind: 'AGREED', means: namedAgreed[label]! }, distinct);
  if (namedStatus.has(label)) return foundIn(words, distinct);
  return distinct.length <= maxValues && speaksOfStatus(label, distinct.map(labelOf))
    ? foundIn(words, distinct)
    : null;
}

export const words: StatusReading = { kind: 'WORDS', means: 'UNSUBSCRIBED' };

export const foundIn = (reading: StatusReading, distinct: readonly string[]): FoundStatus => ({
  reading,
  unclear: distinct.filter((value) => statusOf(reading, value) === null),
});

function speaksOfStatus(label: string, values: readonly string[]): boolean {
  if (values.some((value) => plain.has(value) && plain.get(value) !== 'SUBSCRIBED')) return true;
  if (maybeStatus.has(label)) return values.some((value) => plain.has(value) || vague.has(value));
  return values.length > 0 && values.every((value) => plain.has(value));
}

function flags(reading: StatusReading, distinct: readonly string[]): FoundStatus {
  const onlyYes =
    reading.kind === 'AGREED' &&
    distinct.length > 0 &&
    distinct.every((value) => statusOf(reading, value) === 'SUBSCRIBED');
  return foundIn(onlyYes ? { ...reading, empty: 'PENDING' } : reading, distinct);
}

/** A table without any status column may have one whose words could mean a subscription, such as active and cancelled. */
export function mightBeStatus(values: readonly string[]): boolean {
  const labels = distinctOf(values).map(labelOf);
  return (
    labels.length > 1 &&
    labels.length <= maxValues &&
    labels.every((value) => vague.has(value) || plain.has(value)) &&
    labels.some((value) => (vague.get(value) ?? plain.get(value)) !== 'SUBSCRIBED')
  );
}

const longestWord = Math.max(...[...plain.keys()].map((word) => word.length)) + 4;

/** Whether a cell of a column that was taken for another tells that somebody left, such as one far behind the beginning of the table. */
export function tellsOfLeaving(cell: string): boolean {
  if (cell.length < 4 || cell.length > longestWord) return false;
  const status = plain.get(labelOf(cell));
  return status !== undefined && status !== 'SUBSCRIBED';
}

export const distinctOf = (values: readonly string[]): string[] => [
  ...new Set(values.map((value) => value.trim()).filter((value) => value !== '')),
];

/** Where columns or rows differ, whoever left somewhere has left. */
const gravity: readonly ImportedStatus[] = ['SUBSCRIBED', 'PENDING', 'UNSUBSCRIBED', 'BOUNCED', 'COMPLAINED'];
export function graver(
  one: ImportedStatus | undefined,
  other: ImportedStatus | undefined,
): ImportedStatus | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return gravity.indexOf(one) >= gravity.indexOf(other) ? one : other;
}
