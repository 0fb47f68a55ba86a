import { readFileSync } from 'node:fs';
import type { SinkMessage } from '@posthorn/testing';

/** A line of the mail server's own book. */
export type SinkLine = Omit<SinkMessage, 'raw'> & { digest: string };

/** A line that a killed server left unfinished was never answered for. */
export function readSinkLedger(path: string): SinkLine[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as SinkLine] : []));
}

/** The Message-ID begins with the id of the e-mail (contract.md §3). */
export const emailIdOf = ({ messageId }: SinkLine): string => messageId.split('@', 1)[0]!;
