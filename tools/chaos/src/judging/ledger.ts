import { closeSync, openSync, writeSync } from 'node:fs';
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
export type Knowledge = { kind: 'accepted'; ids: string[] } | { kind: 'refused' } | { kind: 'unknown' };

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
