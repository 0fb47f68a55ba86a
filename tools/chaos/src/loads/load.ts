import type { Finding } from '../judging/finding.js';
import type { Evidence } from '../judging/judge.js';
import type { SendRecord } from '../judging/ledger.js';
import type { Random } from '../random.js';
import { wanted, type RecipientKind, type Wanted } from '../recipients.js';

/** One request to any of the gateways, repeated until it has an answer of its own. */
export type Request = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ status: number; body: string; endedAt: number }>;

/** What is sent in a run, and what must have become of it beyond what holds for every mail. */
export interface Load {
  /** Whether the mail server keeps the bytes, for the judgement. */
  keepsBytes: boolean;
  /** Before anything is struck. */
  prepare(request: Request): Promise<void>;
  wanted(index: number, random: Random, kind?: RecipientKind): Wanted;
  /** The same for every try of one send. */
  bodyOf(wanted: Wanted): object;
  /** What the client does once its send is accepted. */
  afterwards(record: SendRecord, id: string, request: Request): Promise<void>;
  judge(evidence: Evidence): Promise<Finding[]>;
}

/** One recipient, one subject, one body. */
export const plainLoad: Load = {
  keepsBytes: false,
  prepare: () => Promise.resolve(),
  wanted,
  bodyOf: ({ to, index }: Wanted) => ({
    to,
    subject: `number ${index}`,
    body: `<p>Message ${index}</p>`,
  }),
  afterwards: () => Promise.resolve(),
  judge: () => Promise.resolve([]),
};
