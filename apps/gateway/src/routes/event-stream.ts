import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { headerValues } from '../wire/headers.js';

const admitEveryMs = 2_000;
const eventType = /\btext\/event-stream\b/i;

export const wantsEvents = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean =>
  headerValues(rawHeaders, 'accept').some((accept) => eventType.test(accept));

/** The states of a resource as server-sent events; null keeps the connection alive. */
export class EventStream {
  constructor(private readonly states: AsyncIterable<object | null>) {}

  /** `write` renders a state in the dialect. The stream ends once `admit` rejects, which is asked every few seconds: a credential may end meanwhile. */
  stream(write: (state: object) => object, admit: () => Promise<unknown>): Readable {
    return Readable.from(this.texts(write, admit));
  }

  private async *texts(
    write: (state: object) => object,
    admit: () => Promise<unknown>,
  ): AsyncGenerator<string> {
    let admittedAt = performance.now();
    for await (const state of this.states) {
      if (performance.now() - admittedAt >= admitEveryMs) {
        if (!(await isAdmitted(admit))) return;
        admittedAt = performance.now();
      }
      yield state ? `event: progress\ndata: ${JSON.stringify(write(state))}\n\n` : ': \n\n';
    }
  }
}

const isAdmitted = (admit: () => Promise<unknown>): Promise<boolean> =>
  admit().then(
    () => true,
    () => false,
  );
