import type { Readable } from 'node:stream';

/** Events as they happen, without an end; the reader is dropped once `admit` refuses its credential, which is asked every few seconds. */
export class LiveStream {
  constructor(readonly open: (reader: StreamReader) => Readable) {}
}

export interface StreamReader {
  /** Readers with the same one are asked for together. */
  credential: string;
  admit: () => Promise<unknown>;
}
