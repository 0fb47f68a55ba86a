import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DomainError, segments, unavailable } from '@posthorn/contracts';
import { CallFailed } from '@posthorn/messaging';
import { GatewayConfig } from '../config.js';
import { routeSources } from '../all-routes.js';
import { Failures } from './failures.js';
import type { HttpReply, HttpRequest } from '../wire/fastify.js';
import { routeTable, type Route } from '../routes/route-table.js';

Logger.overrideLogger(false);
const { routes } = routeTable(routeSources);
const failures = new Failures(Object.assign(new GatewayConfig(), { publicUrl: 'https://mail.example/' }));

function answer(thrown: unknown, url: string, route?: Route) {
  const published = { status: 0, headers: {} as Record<string, string>, body: {} as Record<string, unknown> };
  const reply = {
    code: (status: number) => ((published.status = status), reply),
    header: (name: string, value: string) => ((published.headers[name] = value), reply),
    send: (body: Buffer) => (
      (published.body = JSON.parse(body.toString()) as Record<string, unknown>),
      reply
    ),
  };
  failures.answer(thrown, { url, method: 'POST' } as HttpRequest, reply as unknown as HttpReply, route);
  return published;
}

describe('a failure', () => {
  it('that nobody foresaw says nothing of itself', () => {
    const v1 = answer(new Error('password=secret at /srv/app.js'), '/api/v1/emails?tag=x');
    expect(v1).toMatchObject({
      status: 500,
      body: {
        code: 'internal_error',
        instance: '/api/v1/emails',
        type: 'https://mail.example/docs/errors#internal_error',
      },
    });
    expect(JSON.stringify(v1)).not.toContain('secret');
    expect(answer('thrown text', '/api/emails')).toMatchObject({
      status: 500,
      body: { success: false, error: { code: 'INTERNAL_ERROR', message: 'An unexpected error occurred' } },
    });
  });

  it.each([
    ['22021', 422, 'validation_error'],
    ['54000', 422, 'validation_error'],
    ['23505', 409, 'conflict'],
    ['57P01', 503, 'internal_error'],
    ['57P03', 503, 'internal_error'],
    ['25006', 503, 'internal_error'],
    ['40001', 503, 'internal_error'],
    ['ECONNREFUSED', 503, 'internal_error'],
  ])('of the database, %s, is %i %s', (code, status, expected) => {
    expect(answer(Object.assign(new Error('SELECT 1'), { code }), '/api/v1/contacts')).toMatchObject({
      status,
      body: { code: expected },
    });
  });

  it('for want of a service is enqueue_failed where mail is sent, and 504 only where a request that changes nothing had no answer', () => {
    const nested = new DomainError('timeout', 'internal_error', 'm');
    const lateRead = new CallFailed(segments.preview, { reached: true, timedOut: true });
    const previews = /^POST .*\/(preview|lint|explain|dry-run|validate|simulate|simulate-audience)$/;
    for (const route of routes) {
      for (const error of [unavailable(), nested, lateRead]) {
        const late = error === lateRead && previews.test(`${route.method} ${route.path}`);
        const { status, headers, body } = answer(error, route.path, route);
        const code =
          route.surface === 'v1' ? body['code'] : (body['error'] as { code: string }).code.toLowerCase();
        expect([status, headers['retry-after'], code]).toEqual([
          late ? 504 : 503,
          '1',
          route.isSend ? 'enqueue_failed' : 'internal_error',
        ]);
      }
    }
  });
});
