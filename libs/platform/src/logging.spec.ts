import { describe, expect, it } from '@jest/globals';
import { beginOutage, endOutage, runAsService } from '@posthorn/messaging';
import { runInContext, Tracing } from '@posthorn/telemetry';
import { PinoLogger } from './logging.js';

const point = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const requestId = '019b0000-0000-7000-8000-00000000abcd';
const context = { tracing: new Tracing(), traces: [point], requestIds: [requestId] };

function buildLogger(format = 'json') {
  const lines: string[] = [];
  const logger = new PinoLogger(
    { service: 'sending', level: 'info', format },
    { write: (line: string) => void lines.push(line) },
  );
  return { logger, lines, told: () => JSON.parse(lines.at(-1)!) as Record<string, unknown> };
}

describe('a line', () => {
  it('has the request and trace of its context, and none outside of one', async () => {
    const { logger, told: published } = buildLogger();
    await runInContext(context, async () => {
      await Promise.resolve();
      logger.warn('something', 'Edge');
    });
    expect(published()).toMatchObject({
      service: 'sending',
      context: 'Edge',
      msg: 'something',
      request_id: requestId,
      trace_id: point.traceId,
    });
    logger.warn('something else');
    expect(published()).not.toHaveProperty('request_id');
    expect(published()).not.toHaveProperty('trace_id');
  });

  it('has every request of its context', () => {
    const { logger, told: published } = buildLogger();
    runInContext({ ...context, requestIds: ['one', 'two'] }, () => logger.error('a batch'));
    expect(published()).toMatchObject({ request_ids: ['one', 'two'] });
  });

  it('has the name of the service whose work it is, although the services of a process share a logger', () => {
    const { logger, told: published } = buildLogger();
    runAsService('contacts', () => logger.warn('something'));
    expect(published()).toMatchObject({ service: 'contacts' });
    logger.warn('something');
    expect(published()).toMatchObject({ service: 'sending' });
  });

  it('is written once when the same failure repeats, but every time for a request', () => {
    const { logger, lines } = buildLogger();
    for (const waiting of [1, 2, 3]) logger.warn(`${waiting} outcomes wait: read ECONNRESET`, 'Outcomes');
    expect(lines).toHaveLength(1);
    for (const _ of [1, 2]) runInContext(context, () => logger.warn('POST /emails: 503', 'Edge'));
    expect(lines).toHaveLength(3);
  });

  it('about a server that is known to be away is left to the outage, which says itself when it is over', () => {
    const { logger, lines } = buildLogger();
    const service = { name: 'sending' };
    beginOutage('Postgres at 127.0.0.1:1', service, 'connect ECONNREFUSED 127.0.0.1:1');
    logger.warn('no claims: connect ECONNREFUSED 127.0.0.1:1', 'Claims');
    expect(lines).toEqual([]);
    endOutage('Postgres at 127.0.0.1:1', service);
    logger.warn('no claims: connect ECONNREFUSED 127.0.0.1:1', 'Claims');
    expect(lines).toHaveLength(1);
  });

  it('shows the end of an id in text lines, because it is random', () => {
    const { logger, lines } = buildLogger('text');
    runInContext(context, () => logger.log('something', 'Edge'));
    expect(lines.at(-1)).toMatch(
      /sending \[Edge\] something \(request …0000abcd, trace 0af7651916cd43dd8448eb211c80319c\)\n$/,
    );
  });

  it.each([
    [
      'invalid input syntax for type uuid: "Ada.Lovelace+x@mail.example.com"',
      'invalid input syntax for type uuid: "<address>"',
    ],
    ['550 5.1.1 <ada@example.com>: no such user', '550 5.1.1 <<address>>: no such user'],
    ['mailto:ünï@bücher.example, ok', 'mailto:<address>, ok'],
    [
      'connect smtp://user:pa%40ss@mail.example.com:587 failed',
      'connect smtp://<credentials>@mail.example.com:587 failed',
    ],
    ['key sk_live_0123456789abcdefABCDEF was refused', 'key <key> was refused'],
    [
      'at file:///srv/node_modules/@nestjs/core/router.js:12:3',
      'at file:///srv/node_modules/@nestjs/core/router.js:12:3',
    ],
    ['nothing secret', 'nothing secret'],
  ])('removes addresses and secrets: %s', (text, written) => {
    const { logger, told: published } = buildLogger();
    logger.warn(text);
    expect(published()['msg']).toBe(written);
  });

  it('logs what an error is, and not the values a driver adds', () => {
    const { logger, lines, told: published } = buildLogger();
    const error = Object.assign(new Error('duplicate key ada@example.com'), {
      code: '23505',
      parameters: ['a subject'],
      detail: 'Key (ada@x.example)',
    });
    logger.error(error);
    expect(published()).toMatchObject({
      msg: 'duplicate key <address>',
      err: { type: 'Error', code: '23505', message: 'duplicate key <address>' },
    });
    expect(lines.at(-1)).not.toMatch(/a subject|ada@/);
  });
});
