import { afterAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natsBinary } from './nats-binary.js';
import { startNats } from './nats-server.js';
import { runningProcess } from './running-process.js';
import { launchServer } from './server-process.js';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-nats-'));
const dataDirectory = join(folder, 'nats');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the embedded NATS', () => {
  it('keeps its streams over a restart', async () => {
    const first = await startNats({ dataDirectory });
    const before = await connect({ servers: first.url });
    await (await jetstreamManager(before)).streams.add({ name: 'kept', subjects: ['kept.>'] });
    await jetstream(before).publish('kept.one', 'hello');
    await before.close();
    await first.stop();
    expect(runningProcess(first.pid)).toBeNull();
    const second = await startNats({ dataDirectory });
    const after = await connect({ servers: second.url });
    expect((await (await jetstreamManager(after)).streams.info('kept')).state.messages).toBe(1);
    await after.close();
    await second.stop();
  });

  it('takes further settings', async () => {
    const server = await startNats({ dataDirectory, configuration: 'max_payload: 2048' });
    const connection = await connect({ servers: server.url });
    expect(connection.info?.max_payload).toBe(2_048);
    await connection.close();
    await server.stop();
  });

  it('stops a server that was left behind', async () => {
    const orphan = await launchServer({
      program: await natsBinary({ binDirectory: join(folder, 'bin'), report: () => {} }),
      arguments: [
        '-a',
        '127.0.0.1',
        '-p',
        '-1',
        '-js',
        '-sd',
        dataDirectory,
        '-P',
        join(dataDirectory, 'nats-server.pid'),
      ],
      readyLine: /Server is ready/,
    });
    const server = await startNats({ dataDirectory });
    expect(runningProcess(orphan.pid)).toBeNull();
    await server.stop();
  });

  it('says what to do about a taken port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await expect(startNats({ dataDirectory, port })).rejects.toThrow(`Port ${port} for NATS is taken`);
    other.close();
  });

  it('says what to do about a store that cannot be one', async () => {
    rmSync(join(dataDirectory, 'jetstream'), { recursive: true });
    writeFileSync(join(dataDirectory, 'jetstream'), 'not a directory');
    await expect(startNats({ dataDirectory })).rejects.toThrow(/nats-server does not start on .*\n.*mv/);
  });

  it('says so when NATS_SERVER_BIN names no program', async () => {
    const options = {
      binDirectory: join(folder, 'bin'),
      report: () => {},
      environment: { NATS_SERVER_BIN: '/nowhere/nats-server' },
    };
    await expect(natsBinary(options)).rejects.toThrow('NATS_SERVER_BIN names /nowhere/nats-server');
  });
});
