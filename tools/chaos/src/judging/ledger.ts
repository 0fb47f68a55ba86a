import { closeSync, openSync, writeSync, readFileSync } from 'node:fs';
import type { SinkMessage } from '@posthorn/testing';
import type { Received } from '../gateway-calls.js';
import type { Wanted } from '../recipients.js';

/** How one HTTP call ended: an answer, or none. */
export interface CallRecord extends Received {
  place: number;
  gateway: number;
}

export interface SendRecord extends Wanted {
  calls: CallRecord[];
  /** Whether it was cancelled or its address blocked before it could go. */
  takenBack?: 'surely' | 'perhaps';
}

/** What the clients did and heard, written down before and after each call. */
export class Ledger {
  readonly sends: SendRecord[] = [];
  private readonly file: number;

  constructor(path: string) {
    this.file = openSync(path, 'w');
  }

  begin(wanted: Wanted): SendRecord {
    const record: SendRecord = { ...wanted, calls: [] };
    this.sends.push(record);
    this.write({ begins: wanted.index, to: wanted.to, key: wanted.key, form: wanted.form });
    return record;
  }

  received(record: SendRecord, call: CallRecord): void {
    record.calls.push(call);
    this.write(call);
  }

  close(): void {
    closeSync(this.file);
  }

  private write(line: object): void {
    writeSync(this.file, `${JSON.stringify(line)}\n`);
  }
}

/** What a send's client may believe: taken, surely not taken, or it cannot know. */
type Knowledge = { kind: 'accepted'; ids: string[] } | { kind: 'refused' } | { kind: 'unknown' };

/** Whoever refuses the connection has seen nothing of the request. */
export const neverLeft = new Set(['ECONNREFUSED']);
const noEvidence = new Set([409, 429, 503, 504]);

export function knowledgeOf({ calls }: SendRecord): Knowledge {
  const ids = calls
    .filter(({ status }) => status === 202)
    .map(({ body }) => (JSON.parse(body!) as { id: string }).id);
  if (ids.length > 0) return { kind: 'accepted', ids: [...new Set(ids)] };
  const sure = calls.every(({ status, error }) =>
    status === null ? neverLeft.has(error ?? '') : noEvidence.has(status) || (status >= 400 && status < 500),
  );
  return sure ? { kind: 'refused' } : { kind: 'unknown' };
}

/** A line of the mail server's own book. */
export type SinkLine = Omit<SinkMessage, 'raw'> & { digest: string };

/** A message as it came, in base64. */
export interface SinkBytes {
  to: string;
  raw: string;
}

export const readSinkLedger = (path: string): SinkLine[] => readLines(path);

export const otherBytes = (ledger: string): string => `${ledger}.bytes`;
export const readSinkBytes = (ledger: string): SinkBytes[] => readLines(otherBytes(ledger));

/** A line that a killed server left unfinished was never answered for. */
function readLines<Line>(path: string): Line[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as Line] : []));
}

/** The Message-ID begins with the id of the e-mail (docs/api-decisions.md §3). */
export const emailIdOf = ({ messageId }: SinkLine): string => messageId.split('@', 1)[0]!;
