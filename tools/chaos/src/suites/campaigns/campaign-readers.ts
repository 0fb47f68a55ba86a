import { Random } from '../../random.js';

/** What becomes of a reader's row, and what of the message. */
interface ReaderKind {
  name: string;
  /** Of 1,000 readers of the large campaign. */
  share: number;
  /** What the mail server does: the local part of the address. */
  server: string;
  subscribed?: false;
  /** How the row may end, besides FAILED `delivery_unconfirmed`. */
  ends: readonly string[];
  /** Nothing is handed over, so that no outcome is ever unknown. */
  isNeverTried?: true;
  /** The mail server hides whether it took the message. */
  isAmbiguous?: true;
}

const kinds = [
  { name: 'plain', share: 859, server: 'ok', ends: ['SENT'] },
  { name: 'unsubscribing', share: 50, server: 'ok', ends: ['SENT', 'SKIPPED unsubscribed'] },
  { name: 'suppressing', share: 50, server: 'ok', ends: ['SENT', 'SKIPPED suppressed'] },
  {
    ...{ name: 'unsubscribed', share: 15, server: 'ok', subscribed: false },
    ...{ ends: ['SKIPPED unsubscribed'], isNeverTried: true },
  },
  { name: 'suppressed', share: 5, server: 'ok', ends: ['SKIPPED suppressed'], isNeverTried: true },
  { name: 'slow', share: 5, server: 'rcpt-451-once', ends: ['SENT'] },
  { name: 'unknown', share: 8, server: 'rcpt-550-5.1.1', ends: ['FAILED hard_bounce'] },
  { name: 'taken', share: 4, server: 'drop-after-accept-once', ends: [], isAmbiguous: true },
  { name: 'untaken', share: 4, server: 'drop-after-dot-once', ends: [], isAmbiguous: true },
] as const satisfies readonly ReaderKind[];

type KindName = (typeof kinds)[number]['name'] | 'compared';

export interface Reader {
  email: string;
  kind: KindName;
  subscribed: boolean;
  name: string;
}

/** Of the large campaign they are excluded, and they alone get the small one; a request takes 500 members of a segment. */
const comparedShare = 0.025;

/** In an order drawn by the seed, because they are frozen and handed over in the order of their contacts. */
export function readersOf(count: number, seed: number): Reader[] {
  const random = new Random(seed);
  const total = kinds.reduce((sum, { share }) => sum + share, 0);
  const of = (kind: ReaderKind & { name: KindName }, number: number): Reader => ({
    email: `${kind.server}+${kind.name}-${number}@sink.test`,
    ...{ kind: kind.name, subscribed: kind.subscribed !== false, name: `Reader ${number}` },
  });
  const [plain, ...others] = kinds;
  const special = others.flatMap((kind) =>
    Array.from({ length: Math.round((count * kind.share) / total) }, (_, number) => of(kind, number)),
  );
  const rest = Array.from({ length: count - special.length }, (_, number) => of(plain, number));
  const compared = Array.from({ length: Math.round(count * comparedShare) }, (_, number): Reader => ({
    ...{ email: `ok+compared-${number}@sink.test`, kind: 'compared' },
    ...{ subscribed: true, name: `Reader ${number}` },
  }));
  return random.shuffled([...special, ...rest, ...compared]);
}

export const unconfirmed = 'FAILED delivery_unconfirmed';
const kindNamed = new Map<string, ReaderKind>(kinds.map((kind) => [kind.name, kind]));

/** Outcomes with their reasons that explain a row of this reader. */
export function endsOf(kind: KindName, isCompared: boolean): readonly string[] {
  if (kind === 'compared') return isCompared ? ['SENT', unconfirmed] : ['SKIPPED excluded'];
  const { ends, isNeverTried } = kindNamed.get(kind)!;
  return isNeverTried ? ends : [...ends, unconfirmed];
}

export const isAmbiguous = (kind: KindName): boolean => kindNamed.get(kind)?.isAmbiguous === true;
