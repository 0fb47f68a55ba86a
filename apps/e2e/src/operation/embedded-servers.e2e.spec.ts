import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { makeDataDirectory, mode, RunningPosthorn } from '../testing/running-posthorn.js';

const mail = { to: 'ada@example.com', subject: 'Hello', body: '<p>Hi</p>' };
const databaseServers =
  mode === 'separate' ? ['PostgreSQL of sending', 'PostgreSQL of gateway'] : ['PostgreSQL'];
/** Each process may say that a server did not answer. */
const mostLines = mode === 'one' ? 5 : 20;

describe('the embedded servers of npm start', () => {
  let directory: ReturnType<typeof makeDataDirectory>;
  let posthorn: RunningPosthorn;

  beforeEach(async () => {
    directory = makeDataDirectory();
    posthorn = await RunningPosthorn.start(directory.path, { LOG_LEVEL: 'info' });
  });
  afterEach(async () => {
    await posthorn.stop();
    directory.remove();
  });

  const kill = (name: string): number => {
    const { pid } = posthorn.servers.processes.find((each) => each.name === name)!;
    process.kill(pid, 'SIGKILL');
    return pid;
  };
  const accepted = (more: object = {}): Promise<string> =>
    eventually(async () => {
      const { status, body } = await posthorn.post('/api/v1/emails', { ...mail, ...more });
      return status === 202 && (body.id as string);
    }, 'a send is accepted');
  const delivered = (id: string) =>
    eventually(
      async () => {
        const { body } = await posthorn.get(`/api/v1/emails/${id}`);
        return body?.status === 'DELIVERED';
      },
      'the mail is delivered',
      60_000,
    );

  it.each(['NATS', ...databaseServers])(
    'start again when they are killed, lose nothing, and say it in a few lines: %s',
    async (name) => {
      const before = await accepted({ scheduled_at: new Date(Date.now() + 3_000) });
      const { length } = posthorn.output;
      const pid = kill(name);
      await eventually(async () => posthorn.output.includes(`${name} is back`), 'the restart');
      await delivered(before);
      await delivered(await accepted());
      const lines = posthorn.output.slice(length).split('\n').filter(Boolean);
      expect(lines).toContain(`${name} ended by SIGKILL: it starts again in 0.2 s`);
      expect(lines.filter((line) => /Starting nats-server|LOG:/.test(line))).toEqual([]);
      expect(lines.length > mostLines ? lines : []).toEqual([]);
      expect(posthorn.servers.processes.find((each) => each.name === name)!.pid).not.toBe(pid);
    },
    90_000,
  );

  it('are given up after several crashes in a row: the start ends with one line and a failure', async () => {
    for (let crash = 1; crash <= 5; crash += 1) {
      const pid = kill('NATS');
      const isGone = async () =>
        posthorn.child.exitCode !== null ||
        posthorn.servers.processes.some((each) => each.name === 'NATS' && each.pid !== pid);
      if (crash < 5) await eventually(isGone, 'the restart');
    }
    expect(await posthorn.exitCode()).toBe(1);
    expect(posthorn.output).toMatch(/^NATS ended by SIGKILL, the 5th time in a row: Posthorn stops\..*$/m);
    expect(posthorn.output).not.toMatch(/\n\s+at .*:\d+:\d+/);
  });
});
