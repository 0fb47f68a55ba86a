import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { BodyReader } from './body-reader.js';

const incoming = (headers: Record<string, string>) =>
  Object.assign(new PassThrough(), { headers, complete: false }) as PassThrough & IncomingMessage;
const announced = (size: number, type = 'application/json') => incoming({ 'content-length': String(size), 'content-type': type });

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
      await expect(new BodyReader().read(announced(2, type), 10)).rejects.toMatchObject({ kind: 'wrong_media_type' });
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
    const endless = incoming({ 'transfer-encoding': 'chunked', 'content-type': 'application/json' });
    endless.write('x'.repeat(11));
    await expect(new BodyReader().read(endless, 10)).rejects.toMatchObject({ kind: 'too_large' });
  });

  it('leaves a body on its socket until there is room, in turn', async () => {
    const reader = new BodyReader(10);
    const [first, second, third] = [announced(8), announced(8), announced(2)];
    first.end('12345678');
    second.end('abcdefgh');
    third.end('yz');
    const held = await reader.read(first, 10);
    const order: string[] = [];
    const waiting = [second, third].map((request) => reader.read(request, 10).then(({ bytes }) => order.push(bytes.toString())));
    await delay(20);
    expect(order).toEqual([]);
    expect(second.listenerCount('data')).toBe(0);
    held.release();
    held.release();
    await Promise.all(waiting);
    expect(order).toEqual(['abcdefgh', 'yz']);
  });

  it('gives the share of a client back that went away', async () => {
    const reader = new BodyReader(10);
    const gone = announced(10);
    const reading = reader.read(gone, 10);
    gone.destroy();
    await expect(reading).rejects.toMatchObject({ kind: 'unavailable' });
    const next = announced(10);
    next.end('0123456789');
    expect((await reader.read(next, 10)).bytes).toHaveLength(10);
  });
});
