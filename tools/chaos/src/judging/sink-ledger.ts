import { readFileSync } from 'node:fs';
import type { SinkMessage } from '@posthorn/testing';

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
