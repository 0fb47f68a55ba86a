import { headers, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { newInbox } from './inboxes.js';

/** What goes in one message, and in one chunk, where the server allows that: a stock nats-server takes 1 MiB. The receiver answers the
 * announcement with a subject of its own, so that all chunks reach the same replica; acknowledgements bound the buffers on both sides. */
export const mostBytes = { message: 512 * 1024, chunk: 256 * 1024 };
/** The server counts them, too: the trace of the caller, the announcement of a transfer. */
const headerBytes = 8 * 1024;
const windowChunks = 8;
export const transferBytes = 96 * 1024 * 1024;
const silenceMs = 10_000;

const sizeHeader = 'Posthorn-Size';
const controlSubjectHeader = 'Posthorn-Control';

/** The message that carries the payload or, with headers, announces its chunks. */
export interface PackedPayload {
  data: Uint8Array;
  headers?: MsgHdrs;
  close: () => void;
}

/** Of the server that is connected now; another one may have another limit. */
export const messageBytes = ({ info }: NatsConnection): number =>
  Math.min(mostBytes.message, (info?.max_payload ?? Infinity) - headerBytes);

export function packPayload(nats: NatsConnection, pieces: readonly Uint8Array[]): PackedPayload {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  if (size <= messageBytes(nats))
    return { data: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces), close: () => undefined };
  const chunkBytes = Math.min(mostBytes.chunk, messageBytes(nats));
  const control = newInbox(nats);
  const firstHeaders = headers();
  firstHeaders.set(sizeHeader, String(size));
  firstHeaders.set(controlSubjectHeader, control);
  const subscription = nats.subscribe(control, {
    callback: (error, message) => (error ? subscription.unsubscribe() : advance(message)),
  });
  let sent = 0;
  let target = '';
  const advance = (message: Msg) => {
    if (message.reply) target = message.reply;
    const acknowledged = message.data.length > 0 ? Number(message.string()) : 0;
    while (sent * chunkBytes < size && sent - acknowledged < windowChunks) {
      nats.publish(target, chunkOf(pieces, sent * chunkBytes, Math.min((sent + 1) * chunkBytes, size)));
      sent += 1;
    }
  };
  return { data: new Uint8Array(), headers: firstHeaders, close: () => subscription.unsubscribe() };
}

/** Copied: the connection keeps it until it is written, and the payload may be released before. */
function chunkOf(pieces: readonly Uint8Array[], start: number, end: number): Buffer {
  const chunk = Buffer.allocUnsafe(end - start);
  let from = 0;
  for (const piece of pieces) {
    const [first, last] = [Math.max(start, from), Math.min(end, from + piece.length)];
    if (first < last) chunk.set(piece.subarray(first - from, last - from), first - start);
    from += piece.length;
  }
  return chunk;
}

const sizeOf = ({ headers: text }: Msg): number => Number(text?.get(sizeHeader) || -1);

/** The payload then has memory of its own; `data` of a plain message is a view of the connection's buffer. */
export const isChunked = (message: Msg): boolean => sizeOf(message) >= 0;

export function receivePayload(nats: NatsConnection, message: Msg): Promise<Buffer> | Uint8Array {
  const size = sizeOf(message);
  const control = message.headers?.get(controlSubjectHeader) ?? '';
  if (size < 0) return message.data;
  if (!(size <= transferBytes)) return Promise.reject(new Error(`a transfer of ${size} bytes is too large`));
  return new Promise((resolve, reject) => {
    const whole = Buffer.allocUnsafeSlow(size);
    const inbox = newInbox(nats);
    let received = 0;
    let chunks = 0;
    const silence = setTimeout(() => finish(new Error('a transfer stalled')), silenceMs);
    const subscription = nats.subscribe(inbox, {
      callback: (error, chunk) => {
        if (error) return finish(error);
        whole.set(chunk.data, received);
        received += chunk.data.length;
        chunks += 1;
        silence.refresh();
        if (received < size) nats.publish(control, String(chunks));
        else finish();
      },
    });
    const finish = (error?: Error) => {
      clearTimeout(silence);
      subscription.unsubscribe();
      if (error) reject(error);
      else resolve(whole);
    };
    nats.publish(control, undefined, { reply: inbox });
  });
}
