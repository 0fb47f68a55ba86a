import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { chooseQuietPort } from '@posthorn/dev';
import { eventually } from '@posthorn/testing';
import { startBalancer, type Balancer } from './balancer.js';

/** Sends its name, then echoes; ends when its client does. */
class Speaker {
  ready = true;
  readonly sockets: Socket[] = [];
  private readonly server: Server;

  constructor(readonly name: string) {
    this.server = createServer({ allowHalfOpen: true }, (socket) => {
      this.sockets.push(socket);
      socket.on('error', () => undefined).write(name);
      socket.pipe(socket);
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async open(port: number): Promise<this> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  /** The port refuses connections from now on. */
  async shut(): Promise<number> {
    const { port } = this;
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
    return port;
  }

  isReady(): Promise<boolean> {
    return Promise.resolve(this.ready);
  }
}

describe('the balancer', () => {
  let speakers: Speaker[] = [];
  let balancer: Balancer;

  afterEach(async () => {
    await balancer.stop();
    await Promise.all(speakers.map((speaker) => speaker.shut().catch(() => undefined)));
  });

  const start = async (...names: string[]) => {
    speakers = await Promise.all(names.map(async (name) => new Speaker(name).open(await chooseQuietPort())));
    balancer = await startBalancer(
      speakers.map((speaker) => fixedPort(speaker)),
      {},
    );
    return speakers;
  };
  /** Like a gateway's, the port stays the same after a restart. */
  const fixedPort = (speaker: Speaker) => ({ port: speaker.port, isReady: () => speaker.isReady() });
  const dial = () => connect({ port: balancer.port, host: '127.0.0.1', allowHalfOpen: true });
  const received = async () => {
    const socket = dial();
    socket.end();
    return text(socket);
  };
  const receivedOf = (times: number) => Promise.all(Array.from({ length: times }, received));

  it('distributes connections in turn', async () => {
    await start('a', 'b', 'c');
    expect([await received(), await received(), await received(), await received()]).toEqual([
      'a',
      'b',
      'c',
      'a',
    ]);
  });

  it('forwards every byte in both directions, also after one side has ended', async () => {
    await start('a');
    const sent = 'x'.repeat(3_000_000);
    const socket = dial();
    socket.end(sent);
    expect(await text(socket)).toBe(`a${sent}`);
  });

  it('skips a backend that refuses, and uses it again when it is back', async () => {
    const [, b] = await start('a', 'b');
    const port = await b!.shut();
    expect(new Set(await receivedOf(6))).toEqual(new Set(['a']));
    speakers[1] = await new Speaker('b').open(port);
    expect(new Set(await receivedOf(6))).toEqual(new Set(['a', 'b']));
  });

  it('sends nothing new to a backend that is not ready, and keeps its connections', async () => {
    const [a, b] = await start('a', 'b');
    const [toA, toB] = [dial(), dial()];
    await Promise.all([once(toA, 'data'), once(toB, 'data')]);
    b!.ready = false;
    await eventually(async () => !(await receivedOf(4)).includes('b'), 'b is skipped');
    toB.write('still there');
    expect(String((await once(toB, 'data'))[0])).toBe('still there');
    a!.ready = false;
    // If none is ready, all are tried.
    await eventually(async () => new Set(await receivedOf(4)).size === 2, 'both were tried');
    toA.end();
    toB.end();
  });

  it('forwards a reset as a reset', async () => {
    const [a] = await start('a');
    const socket = dial();
    await once(socket, 'data');
    a!.sockets[0]!.resetAndDestroy();
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
  });

  it('refuses new connections while existing ones continue, and stops when they have ended', async () => {
    const [a] = await start('a');
    const socket = dial();
    await once(socket, 'data');
    balancer.refuse();
    const [error] = (await once(dial(), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
    socket.end('last words');
    a!.ready = false;
    const [receivedLast] = await Promise.all([text(socket), balancer.stop()]);
    expect(receivedLast).toBe('last words');
  });

  it('resets connections when no backend is reachable', async () => {
    const [a] = await start('a');
    await a!.shut();
    const [error] = (await once(dial(), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
  });
});
