import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runningProcess } from '@posthorn/dev';
import { eventually, SmtpSink } from '@posthorn/testing';
import { inboxMessages } from '../testing/inbox.js';
import { makeDataDirectory, RunningPosthorn } from '../testing/running-posthorn.js';

// Six processes and more take longer to start than one.
const hookMs = 90_000;
const mail = { to: 'ada@example.com', subject: 'Hello', body: '<p>Hi</p>' };

let directory: ReturnType<typeof makeDataDirectory>;
let posthorn: RunningPosthorn;

const start = async (environment: Record<string, string> = {}, texts: string[] = []) => {
  directory = makeDataDirectory();
  posthorn = await RunningPosthorn.start(directory.path, environment, ['--services', ...texts]);
};
const stop = async () => {
  await posthorn.stop();
  directory.remove();
};
const pidOf = (name: string) => posthorn.processes.find((each) => each.name === name)!.pid;
const says = (texts: string) => eventually(async () => posthorn.output.includes(texts), texts, 60_000);
// Long enough for every connection to be used again and told to close, even on a busy machine.
const draining = { DRAIN_MS: '2000' };
const betweenRequestsMs = 20;

describe('npm run start:services with one process of each service', () => {
  beforeAll(() => start(draining), hookMs);
  afterAll(stop, hookMs);

  it('restarts a crashed service and logs it', async () => {
    const before = pidOf('sending');
    process.kill(before, 'SIGKILL');
    await says('sending ended by SIGKILL: it starts again in 0.2 s');
    await says('sending is back');
    expect(pidOf('sending')).not.toBe(before);
    expect((await posthorn.post('/api/v1/emails', mail)).status).toBe(202);
    await eventually(async () => (await inboxMessages(posthorn)).length === 1, 'the mail');
  });

  it('answers requests in progress when it is stopped', expectAnswerWhileStopping, 90_000);
});

describe('npm run start:services with two gateways', () => {
  let sink: SmtpSink;
  beforeAll(async () => {
    sink = await SmtpSink.start({ keep: 'ids' });
    await start({ ...draining, SMTP_URL: sink.url, SENDING_RATE_PER_SECOND: '0' }, [
      '--replicas',
      'gateway=2',
    ]);
  }, hookMs);
  afterAll(async () => {
    await stop();
    await sink.stop();
  }, hookMs);

  it('resets no connection while they are replaced under load, and loses and repeats nothing', async () => {
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
  });

  it('answers requests in progress when it is stopped', expectAnswerWhileStopping, 90_000);
});

describe('npm run start:services that is killed', () => {
  beforeAll(() => start(), hookMs);
  afterAll(stop, hookMs);

  it('leaves no process behind, not even a hanging one, and npm start continues with its data', async () => {
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
  });
});

/** The product has stopped afterwards. */
async function expectAnswerWhileStopping(): Promise<void> {
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
      // The admin port of the one without an open request closes soon.
      () =>
        fetch(`http://127.0.0.1:${adminPort}/readyz`).then(
          ({ status }) => status === 503,
          () => true,
        ),
      'draining',
    );
  socket.write(body.slice(10));
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 202 /);
  expect(await stopped).toBe(0);
}

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
      // Connections matter here, not the rate.
      await delay(betweenRequestsMs);
    }
  }
}
