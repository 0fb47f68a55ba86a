import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { headerValues } from '../http/header-values.js';

const eventType = /\btext\/event-stream\b/i;

export const wantsEvents = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean =>
  headerValues(rawHeaders, 'accept').some((accept) => eventType.test(accept));

/** What a handler answers in place of a resource that is still changing: each of its states as a server-sent event. Null only says that the line lives. */
export class EventStream {
  constructor(private readonly states: AsyncIterable<object | null>) {}

  /** `write` says a state in the words of the dialect. */
  stream(write: (state: object) => object): Readable {
    return Readable.from(this.texts(write));
  }

  private async *texts(write: (state: object) => object): AsyncGenerator<string> {
    for await (const state of this.states)
      yield state ? `event: progress\ndata: ${JSON.stringify(write(state))}\n\n` : ': \n\n';
  }
}
