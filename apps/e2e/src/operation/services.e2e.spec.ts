import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { runningProcess } from '@posthorn/dev';
import { eventually, SmtpSink } from '@posthorn/testing';
import { inboxMessages } from '../testing/inbox.js';
import { makeDataDirectory, RunningPosthorn } from '../testing/running-posthorn.js';

const mail = { to: 'ada@example.com', subject: 'Hello', body: '<p>Hi</p>' };

describe('npm run start:services', () => {
  let directory = makeDataDirectory();
  let posthorn: RunningPosthorn;

  afterEach(async () => {
    await posthorn.stop();
    directory.remove();
    directory = makeDataDirectory();
  });

  const start = async (environment: Record<string, string> = {}, texts: string[] = []) =>
    (posthorn = await RunningPosthorn.start(directory.path, environment, ['--services', ...texts]));
  const pidOf = (name: string) => posthorn.processes.find((each) => each.name === name)!.pid;
  const says = (texts: string) => eventually(async () => posthorn.output.includes(texts), texts, 60_000);

  it('restarts a crashed service and logs it', async () => {
    await start();
    const before = pidOf('sending');
    process.kill(before, 'SIGKILL');
    await says('sending ended by SIGKILL: it starts again in 0.2 s');
    await says('sending is back');
    expect(pidOf('sending')).not.toBe(before);
    expect((await posthorn.post('/api/v1/emails', mail)).status).toBe(202);
    await eventually(async () => (await inboxMessages(posthorn)).length === 1, 'the mail');
  }, 90_000);

  it('leaves no process behind when it is killed, not even a hanging one, and npm start continues with its data', async () => {
    await start();
    const { body } = await posthorn.post('/api/v1/emails', mail);
    const delivered = async () =>
      (await posthorn.get(`/api/v1/emails/${body.id}`)).body.status === 'DELIVERED';
    await eventually(delivered, 'DELIVERED');
    const { processes } = posthorn;
    process.kill(pidOf('contacts'), 'SIGSTOP');
    posthorn.child.kill('SIGKILL');
    await eventually(
      async () => processes.filter(({ pid }) => runningProcess(pid)).length === 1,
      'all processes but the hanging one have ended',
    );
    await posthorn.stop();
    posthorn = await RunningPosthorn.start(directory.path, {}, []);
    expect(posthorn.output).toMatch(/Stopping contacts \(process \d+\) that an earlier start left behind/);
    expect(processes.filter(({ pid }) => runningProcess(pid))).toEqual([]);
    expect(await delivered()).toBe(true);
  }, 90_000);

  it('resets no connection while its gateways are replaced under load, and loses and repeats nothing', async () => {
    const sink = await SmtpSink.start({ keep: 'ids' });
    // Long enough for every connection to be used again and told to close, even on a busy machine.
    await start({ SMTP_URL: sink.url, SENDING_RATE_PER_SECOND: '0', DRAIN_MS: '2000' }, [
      '--replicas',
      'gateway=2',
    ]);
    const load = new Load(posthorn);
    for (const gateway of ['gateway.1', 'gateway.2']) {
      await load.until(load.answered.length + 200);
      process.kill(pidOf(gateway), 'SIGTERM');
      await says(`${gateway} ended with exit code 0`);
      await says(`${gateway} is back`);
    }
    await load.until(load.answered.length + 200);
    await load.stop();
    expect(load.failures).toEqual([]);
    expect(new Set(load.answered)).toEqual(new Set([202]));
    await sink.waitFor(load.answered.length, 60_000);
    expect(new Set(sink.messages.map(({ messageId }) => messageId)).size).toBe(load.answered.length);
    expect(sink.messages).toHaveLength(load.answered.length);
    await posthorn.stop();
    await sink.stop();
  }, 150_000);

  it.each([
    ['one gateway', []],
    ['two gateways', ['--replicas', 'gateway=2']],
  ])(
    'answers requests in progress when it is stopped: %s',
    async (_, texts) => {
      await start({ DRAIN_MS: '2000' }, texts);
      const body = JSON.stringify(mail);
      const { port } = new URL(posthorn.dev.baseUrl);
      const socket = connect({ host: '127.0.0.1', port: Number(port) });
      const head = `POST /api/v1/emails HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${posthorn.dev.secretKey}\r\n`;
      socket.write(
        `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
      );
      // The gateway reports that it received the head.
      expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 100 Continue/);
      socket.write(body.slice(0, 10));
      const stopped = posthorn.stop();
      const gateways = posthorn.processes.filter(({ name }) => name.startsWith('gateway'));
      for (const { adminPort } of gateways)
        await eventually(
          async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status === 503,
          'draining',
        );
      socket.write(body.slice(10));
      const answer = await text(socket);
      expect(answer).toMatch(/^HTTP\/1\.1 202 /);
      expect(await stopped).toBe(0);
    },
    90_000,
  );
});

/** Clients that stop only on failure: half keep their connection, half open a new one per request. */
class Load {
  readonly answered: number[] = [];
  readonly failures: string[] = [];
  private stopping = false;
  private readonly clients: Promise<void>[];

  constructor(private readonly posthorn: RunningPosthorn) {
    this.clients = Array.from({ length: 8 }, (_, index) =>
      this.client(index % 2 === 0 ? {} : { connection: 'close' }),
    );
  }

  async until(count: number): Promise<void> {
    await eventually(async () => this.answered.length >= count, `${count} answers`, 60_000);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.clients);
  }

  private async client(headers: Record<string, string>): Promise<void> {
    for (let answered = true; answered && !this.stopping;) {
      answered = await this.posthorn.post('/api/v1/emails', mail, headers).then(
        ({ status }) => this.answered.push(status) > 0,
        (error: Error) => this.failures.push(String(error.cause ?? error)) < 0,
      );
    }
  }
}
