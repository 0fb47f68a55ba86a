import { createHash } from 'node:crypto';
import { Random } from '../random.js';
import { kindNamed, type RecipientKind } from '../recipients.js';

/** How a message of the sending suite is asked for. */
export type Form =
  'plain' | 'template' | 'files' | 'scheduled' | 'copies' | 'suppressed' | 'cancelled' | 'blocked';

interface FormRule {
  form: Form;
  weight: number;
  /** Only where the mail server takes everything is it sure what becomes of a message that is taken back. */
  peaceful?: boolean;
}

export const formRules: readonly FormRule[] = [
  { form: 'plain', weight: 25 },
  { form: 'template', weight: 25 },
  { form: 'files', weight: 10 },
  { form: 'scheduled', weight: 15 },
  { form: 'copies', weight: 8, peaceful: true },
  { form: 'suppressed', weight: 5, peaceful: true },
  { form: 'cancelled', weight: 6, peaceful: true },
  { form: 'blocked', weight: 6, peaceful: true },
];

export const ok = kindNamed('ok');
/** Ends that the mail server has no part in. */
export const neverSent: RecipientKind = { name: 'ok', weight: 0, ends: 'FAILED' };
export const takenBack: RecipientKind = { name: 'ok', weight: 0, ends: 'CANCELLED' };

/** Drawn ahead, so that they are suppressed before the first send. */
export const suppressedPool = Array.from({ length: 50 }, (_, index) => `ok+suppressed-${index}@sink.test`);

export const ccOf = (index: number): string => `ok+${index}-cc@sink.test`;
export const bccOf = (index: number): string => `ok+${index}-bcc@sink.test`;

export const subjectOf = (form: Form, index: number): string =>
  form === 'template' ? `Hello Reader ${index}` : `number ${index}`;

/** In the words of every message of the form, once. */
export const markOf = (form: Form, index: number): string =>
  form === 'template' ? `Reader ${index}, this is ${index}. Signed by the snippet.` : `Message ${index}`;

/** Some ten thousand bytes that nothing compresses or mistakes for text. */
export function fileOf(index: number): Buffer {
  const random = Random.named(`file ${index}`);
  return Buffer.from(Array.from({ length: random.whole(1, 24_000) }, () => random.whole(0, 255)));
}

export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
