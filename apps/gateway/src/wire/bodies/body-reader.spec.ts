import events from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { BodyReader, type HeldBody } from './body-reader.js';

const incoming = (headers: Record<string, string>) =>
  Object.assign(new PassThrough(), { headers, complete: false }) as PassThrough & IncomingMessage;
const announced = (size: number, type = 'application/json') =>
  incoming({ 'content-length': String(size), 'content-type': type });
const chunked = () => incoming({ 'transfer-encoding': 'chunked', 'content-type': 'application/json' });
/** Bodies of at most four bytes are small. */
const few = { small: { budget: 10 }, large: { budget: 10 }, smallBody: 4, maxMs: 60_000 };

function readOf(reader: BodyReader, request: PassThrough & IncomingMessage, body: string): Promise<HeldBody> {
  request.end(body);
  return reader.read(request, 10);
}

describe('reading a body', () => {
  it('gathers the chunks', async () => {
    const request = announced(6);
    const reading = new BodyReader().read(request, 10);
    request.write('abc');
    request.end('def');
    expect((await reading).bytes.toString()).toBe('abcdef');
  });

  it('needs no media type where there is no body', async () => {
    expect((await new BodyReader().read(incoming({}), 10)).bytes).toHaveLength(0);
  });

  it.each(['', 'text/plain', 'application/json; charset=latin1', 'application/jsonx', 'multipart/form-data'])(
    'refuses the media type %j',
    async (type) => {
      await expect(new BodyReader().read(announced(2, type), 10)).rejects.toMatchObject({
        kind: 'wrong_media_type',
      });
    },
  );

  it.each(['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"'])(
    'takes the media type %j',
    async (type) => {
      const request = announced(2, type);
      request.end('{}');
      expect((await new BodyReader().read(request, 10)).bytes.toString()).toBe('{}');
    },
  );

  it('refuses what is too large before it is read, and as soon as it shows', async () => {
    await expect(new BodyReader().read(announced(11), 10)).rejects.toMatchObject({ kind: 'too_large' });
    const endless = chunked();
    endless.write('x'.repeat(11));
    await expect(new BodyReader().read(endless, 10)).rejects.toMatchObject({ kind: 'too_large' });
  });

  it('leaves a large body on its socket until there is room, in turn, while small ones pass', async () => {
    const reader = new BodyReader(few);
    const [first, second, third, small] = [announced(8), announced(8), announced(6), announced(2)];
    first.end('12345678');
    second.end('abcdefgh');
    third.end('qrstuv');
    small.end('yz');
    const held = await reader.read(first, 10);
    const order: string[] = [];
    const waiting = [second, third].map((request) =>
      reader.read(request, 10).then(({ bytes, release }) => {
        order.push(bytes.toString());
        release();
      }),
    );
    expect((await reader.read(small, 10)).bytes.toString()).toBe('yz');
    expect([order, second.listenerCount('data')]).toEqual([[], 0]);
    held.release();
    held.release();
    await Promise.all(waiting);
    expect(order).toEqual(['abcdefgh', 'qrstuv']);
  });

  it('lets a project with one large body in memory wait for the others', async () => {
    const reader = new BodyReader(few);
    const order: string[] = [];
    const read = async (owner: string, name: string) => {
      const request = announced(8);
      request.end('12345678');
      const held = await reader.read(request, 10, undefined, owner);
      order.push(name);
      return held;
    };
    const first = await read('many', 'many-1');
    const waiting = [read('many', 'many-2'), read('many', 'many-3'), read('few', 'few-1')];
    first.release();
    for (const next of [2, 0, 1]) (await waiting[next]!).release();
    expect(order).toEqual(['many-1', 'few-1', 'many-2', 'many-3']);
  });

  it('admits sixteen one after another', async () => {
    const reader = new BodyReader(few);
    let inMemory = 0;
    const reads = Array.from({ length: 16 }, async () => {
      const request = announced(10);
      request.end('0123456789');
      const { release } = await reader.read(request, 10);
      expect((inMemory += 1)).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      inMemory -= 1;
      release();
    });
    await Promise.all(reads);
  });

  it('reads a body of unknown length as a small one, and makes it wait where it is not', async () => {
    const reader = new BodyReader(few);
    const held = await readOf(reader, announced(10), '0123456789');
    const short = await readOf(reader, chunked(), 'abcd');
    expect(short.bytes.toString()).toBe('abcd');
    const long = chunked();
    const reading = readOf(reader, long, 'abcdefghij');
    await events.once(long, 'pause');
    expect(long.listenerCount('data')).toBe(0);
    held.release();
    expect((await reading).bytes.toString()).toBe('abcdefghij');
  });

  it('takes little memory for a small body of unknown length', async () => {
    const held = await readOf(new BodyReader(), chunked(), '{}');
    expect(held.bytes.toString()).toBe('{}');
    // As large as the memory that small buffers share.
    expect(held.bytes.buffer.byteLength).toBeLessThanOrEqual(Buffer.poolSize);
  });

  it.each([8_191, 8_192, 8_193, 100_000, 262_143, 262_144, 262_145, 700_000])(
    'reads %d bytes of unknown length in whatever pieces they come',
    async (size) => {
      const body = Buffer.from(Array.from({ length: size }, (_, at) => at % 251));
      for (const piece of [1_000, 16_384, 65_536, 300_000]) {
        const request = chunked();
        const reading = new BodyReader().read(request, 700_000);
        for (let at = 0; at < size; at += piece) request.write(body.subarray(at, at + piece));
        request.end();
        expect((await reading).bytes.equals(body)).toBe(true);
      }
      const request = chunked();
      request.end(body);
      await expect(new BodyReader().read(request, size - 1)).rejects.toMatchObject({ kind: 'too_large' });
    },
  );

  it('gives the place of a client back that went away, in the middle or while it waited', async () => {
    const reader = new BodyReader({ ...few, large: { ...few.large, waitMs: 60_000 } });
    const removed = announced(10);
    const reading = reader.read(removed, 10);
    const early = announced(10);
    const waiting = reader.read(early, 10);
    const next = readOf(reader, announced(10), '0123456789');
    early.destroy();
    await expect(waiting).rejects.toMatchObject({ kind: 'unavailable' });
    removed.destroy();
    await expect(reading).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(reader.read(removed, 10)).rejects.toMatchObject({ kind: 'unavailable' });
    expect((await next).bytes).toHaveLength(10);
  });

  it('takes the place of a body that drips, once another one waits for it', async () => {
    const reader = new BodyReader({ ...few, large: { budget: 10, graceMs: 4 } });
    const drips = announced(10);
    drips.write('0');
    const dripping = reader.read(drips, 10);
    const next = readOf(reader, announced(10), '0123456789');
    await expect(dripping).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'The body came too slowly while others waited',
    });
    expect((await next).bytes).toHaveLength(10);
  });

  it('says that there is no room where a place does not come free in time', async () => {
    const reader = new BodyReader({ ...few, large: { budget: 10, waitMs: 1 } });
    await readOf(reader, announced(10), '0123456789');
    await expect(reader.read(announced(10), 10)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('a body that does not come to its end in time', () => {
  it.each([
    ['of a known length', 'content-length: 10'],
    ['in chunks', 'transfer-encoding: chunked'],
  ])('is answered 408, however steadily it drips, and leaves its place to others: %s', async (_, framing) => {
    const reader = new BodyReader({ ...few, smallBody: 10, maxMs: 100 });
    const failures: unknown[] = [];
    const server = createServer(
      (request) => void reader.read(request, 10).catch((error: unknown) => failures.push(error)),
    );
    await events.once(server.listen(0, '127.0.0.1'), 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`POST / HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`);
    let left = 6;
    const dripping = setInterval(() => {
      if ((left -= 1) > 0) socket.write(framing.endsWith('chunked') ? '1\r\nx\r\n' : 'x');
    }, 15);
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(dripping);
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nconnection: close\r\n/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toEqual({
      success: false,
      error: { message: 'The request did not arrive in time', code: 'VALIDATION_ERROR' },
    });
    expect(failures).toHaveLength(1);
    expect((await readOf(reader, announced(10), '0123456789')).bytes.toString()).toBe('0123456789');
    server.close();
    await events.once(server, 'close');
  });
});
