import { afterEach, describe, expect, it } from '@jest/globals';
import { SmtpSink, type SmtpSinkOptions } from '../../../testing/src/smtp-sink/smtp-sink.js';
import { SmtpPool, type SmtpPoolOptions } from './smtp-pool.js';
import type { SmtpDelivery } from './smtp-transaction.js';

const raw = Buffer.from(
  'From: a@b.test\r\nDate: x\r\nMessage-ID: <1@b.test>\r\nMIME-Version: 1.0\r\n\r\nhello\r\n',
);
const to = (recipient: string, assertLeaseHeld?: () => void): SmtpDelivery => ({
  envelope: { from: 'bounces@b.test', to: recipient },
  raw,
  assertLeaseHeld,
});

let sink: SmtpSink;
let pool: SmtpPool;
let now = 0;
afterEach(async () => {
  await pool.close();
  await sink.stop();
});

async function start(
  options: Partial<SmtpPoolOptions> = {},
  sinkOptions: SmtpSinkOptions = {},
): Promise<void> {
  sink = await SmtpSink.start(sinkOptions);
  const endpoint = { host: '127.0.0.1', port: sink.port, tls: 'none', insecure: false } as const;
  now = 0;
  pool = new SmtpPool({
    endpoint,
    maxConnections: 4,
    timeouts: { openingStepMs: 10_000, commandMs: 10_000, dotMs: 10_000 },
    now: () => now,
    ...options,
  });
}

describe('pool', () => {
  it('opens as many sessions as needed within its limit', async () => {
    await start();
    const attempts = await Promise.all(
      Array.from({ length: 50 }, (_, index) => pool.deliver(to(`u${index}@d.test`))),
    );
    expect(attempts.every(({ verdict }) => verdict === 'accepted')).toBe(true);
    expect(sink.connections).toBe(4);
    expect(pool.state).toMatchObject({ open: 4, idle: 4, waiting: 0 });
  });

  it('counts a busy session as open', async () => {
    await start();
    const busy = pool.deliver(to('late-dot@d.test'));
    await sink.waitFor(1);
    expect(pool.state).toMatchObject({ open: 1, idle: 0 });
    sink.release();
    expect(await busy).toMatchObject({ verdict: 'accepted' });
  });

  it('renews a session after its maximum of messages', async () => {
    await start({ maxConnections: 1, maxMessagesPerConnection: 3 });
    for (let index = 0; index < 7; index++)
      expect(await pool.deliver(to('ok@d.test'))).toMatchObject({ verdict: 'accepted' });
    expect(sink.connections).toBe(3);
  });

  it('continues on the same session after refusals, and on a new one after an ambiguity', async () => {
    await start({ maxConnections: 1 });
    for (const recipient of ['rcpt-550@d.test', 'data-554@d.test', 'dot-451@d.test', 'ok@d.test'])
      await pool.deliver(to(recipient));
    expect(sink.connections).toBe(1);
    expect(await pool.deliver(to('drop-after-accept@d.test'))).toMatchObject({ verdict: 'ambiguous' });
    expect(await pool.deliver(to('ok@d.test'))).toMatchObject({ verdict: 'accepted' });
    expect(sink.connections).toBe(2);
  });

  it('450 three times, then 250: four attempts, one copy', async () => {
    await start({ maxConnections: 1 });
    const verdicts: string[] = [];
    for (let index = 0; index < 4; index++)
      verdicts.push((await pool.deliver(to('refuse-450-times-3@d.test'))).verdict);
    expect(verdicts).toEqual([
      'refused_temporarily',
      'refused_temporarily',
      'refused_temporarily',
      'accepted',
    ]);
    expect(sink.count).toBe(1);
  });

  it('tries a new session when the server closed the old one', async () => {
    await start({ maxConnections: 1 });
    await pool.deliver(to('ok@d.test'));
    sink.rules.faults = { mail: { kind: 'reply', text: '421 4.7.0 too many messages', times: 0 } };
    const shown = sink.timesShown.bind(sink);
    sink.timesShown = (key) => (key.startsWith('mail') && sink.connections === 1 ? -1 : shown(key));
    expect(await pool.deliver(to('ok@d.test'))).toMatchObject({ verdict: 'accepted' });
    expect(sink.connections).toBe(2);
  });

  it('survives that the server closes idle sessions, noticed or not', async () => {
    await start();
    await Promise.all([1, 2, 3].map(() => pool.deliver(to('ok@d.test'))));
    sink.disconnect();
    expect(await pool.deliver(to('ok@d.test'))).toMatchObject({ verdict: 'accepted' });
    sink.disconnect();
    await sink.whenEmpty();
    expect(await pool.deliver(to('ok@d.test'))).toMatchObject({ verdict: 'accepted' });
    expect(sink.count).toBe(5);
  });

  it('closes idle sessions', async () => {
    await start({ idleMs: 5 });
    await pool.deliver(to('ok@d.test'));
    await sink.whenEmpty();
    expect(pool.state).toMatchObject({ open: 0, idle: 0 });
  });

  it('finishes running deliveries when it closes, and accepts no more', async () => {
    await start();
    const running = pool.deliver(to('late-dot@d.test'));
    await sink.waitFor(1);
    const closed = pool.close();
    expect(await pool.deliver(to('ok@d.test'))).toMatchObject({ verdict: 'no_reply', error: 'closed' });
    sink.release();
    expect(await running).toMatchObject({ verdict: 'accepted' });
    await closed;
    expect(pool.state).toMatchObject({ open: 0, idle: 0 });
  });
});

describe('circuit', () => {
  it('pauses longer with every failure, then tries one session, and opens again', async () => {
    await start({}, { faults: { connect: { kind: 'reply', text: '554 no' } } });
    const first = await Promise.all([1, 2, 3].map(() => pool.deliver(to('ok@d.test'))));
    expect(first).toMatchObject(first.map(() => ({ verdict: 'refused', stage: 'greeting' })));
    expect(pool.state).toMatchObject({
      paused: true,
      pauseMs: 1_000,
      failures: 1,
      lastFailure: { reply: { code: 554 } },
    });
    expect(await pool.deliver(to('ok@d.test'))).toMatchObject({
      verdict: 'no_reply',
      stage: 'connect',
      error: 'paused',
    });
    expect(sink.connections).toBe(3);
    now = 1_000;
    await Promise.all([1, 2, 3].map(() => pool.deliver(to('ok@d.test'))));
    expect(sink.connections).toBe(4);
    expect(pool.state).toMatchObject({ pauseMs: 2_000 });
    for (let index = 0; index < 8; index++) {
      now += 60_000;
      await pool.deliver(to('ok@d.test'));
    }
    expect(pool.state.pauseMs).toBe(60_000);
    now += 60_000;
    sink.rules.faults = {};
    expect(await Promise.all([1, 2, 3].map(() => pool.deliver(to('ok@d.test'))))).toMatchObject(
      [1, 2, 3].map(() => ({ verdict: 'accepted' })),
    );
    expect(pool.state).toMatchObject({ paused: false, failures: 0 });
  });
});

describe('a lost lease', () => {
  it.each([1, 2])(
    'closes the connection without the final dot when it throws at its check %i',
    async (check) => {
      await start();
      let requested = 0;
      const assertLeaseHeld = (): void => {
        if (++requested >= check) throw new Error('lease lost');
      };
      expect(await pool.deliver(to('ok@d.test', assertLeaseHeld))).toMatchObject({
        verdict: 'no_reply',
        error: 'lease_lost',
        stage: check === 1 ? 'data' : 'body',
        sessionUsable: false,
      });
      await sink.whenEmpty();
      expect(sink.count).toBe(0);
    },
  );

  it('is called before DATA and before the last bytes', async () => {
    await start();
    let requested = 0;
    await pool.deliver(to('ok@d.test', () => void requested++));
    expect(requested).toBe(2);
  });
});

describe('SMTPUTF8 and TLS', () => {
  it('asks for SMTPUTF8 when only a header needs it', async () => {
    await start();
    await pool.deliver({ ...to('ok@d.test'), envelope: { from: 'a@b.test', to: 'ok@d.test', utf8: true } });
    await pool.deliver({
      ...to('jörg@d.test'),
      envelope: { from: 'a@b.test', to: 'jörg@d.test', utf8: true },
    });
    expect(sink.messages.map(({ mailParameters }) => mailParameters)).toEqual([
      expect.stringContaining('SMTPUTF8'),
      expect.stringMatching(/^[^8]*SMTPUTF8(?!.*SMTPUTF8)/),
    ]);
    expect(sink.envelopes.at(-1)!.to).toBe('jörg@d.test');
  });

  it.each(['required', 'opportunistic', 'implicit'] as const)('hands over within TLS (%s)', async (tls) => {
    await start(
      {},
      tls === 'implicit' ? { implicitTls: true } : { startTls: 'offered', auth: { user: 'u', pass: 'p' } },
    );
    const auth = tls === 'implicit' ? undefined : { user: 'u', pass: 'p' };
    const secure = new SmtpPool({
      endpoint: { host: '127.0.0.1', port: sink.port, tls, insecure: true, auth },
      maxConnections: 1,
    });
    expect(await secure.deliver(to('ok@d.test'))).toMatchObject({ verdict: 'accepted', tls: true });
    expect(sink.messages[0].tls).toBe(true);
    await secure.close();
  });
});
