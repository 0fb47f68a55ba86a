import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { headerValues } from '../http/header-values.js';

const eventType = /\btext\/event-stream\b/i;

export const wantsEvents = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean =>
  headerValues(rawHeaders, 'accept').some((accept) => eventType.test(accept));

/** The states of a resource as server-sent events; null keeps the connection alive. */
export class EventStream {
  constructor(private readonly states: AsyncIterable<object | null>) {}

  /** `write` renders a state in the dialect. */
  stream(write: (state: object) => object): Readable {
    return Readable.from(this.texts(write));
  }

  private async *texts(write: (state: object) => object): AsyncGenerator<string> {
    for await (const state of this.states)
      yield state ? `event: progress\ndata: ${JSON.stringify(write(state))}\n\n` : ': \n\n';
  }
}
