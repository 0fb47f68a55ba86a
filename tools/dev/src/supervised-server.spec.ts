import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { chooseQuietPort } from './free-port.js';
import { startNats } from './nats-server.js';
import { runningProcess } from './running-process.js';
import { SupervisedServer } from './supervised-server.js';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-supervised-'));
const dataDirectory = join(folder, 'nats');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a supervised server', () => {
  const supervise = async () => {
    const lines: string[] = [];
    const server = await SupervisedServer.start({
      name: 'NATS',
      start: async (port) => startNats({ dataDirectory, port: port ?? (await chooseQuietPort()) }),
      report: (line) => lines.push(line),
    });
    return { server, lines };
  };

  it('starts again at its address after a crash, and says so in two lines', async () => {
    const { server, lines } = await supervise();
    const { url, pid } = server;
    process.kill(pid, 'SIGKILL');
    await eventually(async () => lines.includes('NATS is back'), 'the restart');
    expect(lines).toEqual(['NATS ended by SIGKILL: it starts again in 0.2 s', 'NATS is back']);
    expect(server.url).toBe(url);
    expect(server.pid).not.toBe(pid);
    await server.stop();
    expect(runningProcess(server.pid)).toBeNull();
    expect(lines).toHaveLength(2);
  });

  it('stays away when it is stopped in the middle of a restart', async () => {
    const { server, lines } = await supervise();
    process.kill(server.pid, 'SIGKILL');
    await eventually(async () => lines.length > 0, 'the crash noticed');
    await server.stop();
    expect(runningProcess(server.pid)).toBeNull();
    expect(lines).not.toContain('NATS is back');
  });

  it('is given up after five crashes in a row, with a message of one line', async () => {
    const { server } = await supervise();
    const failure = server.failed.catch((error: Error) => error.message);
    for (let crash = 1, killed = 0; crash <= 5; crash += 1) {
      await eventually(async () => server.pid !== killed, 'the restart');
      killed = server.pid;
      process.kill(killed, 'SIGKILL');
    }
    expect(await failure).toMatch(/^NATS ended by SIGKILL, the 5th time in a row: Posthorn stops\. .*$/);
    await server.stop();
  });
});
