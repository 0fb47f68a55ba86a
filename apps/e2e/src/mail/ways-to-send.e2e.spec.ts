import { describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { withPosthorn } from '../testing/bad-input.js';

const suite = withPosthorn();
const send = (path: string, body: object, headers: Record<string, string> = {}) =>
  suite.posthorn.post(path, body, headers);
const message = (more: object = {}) => ({
  to: 'ada@example.com',
  subject: 'Hello',
  body: '<p>Hi</p>',
  ...more,
});

describe('a batch', () => {
  it.each(['/api/v1/emails/batch', '/api/emails/batch'])(
    'returns a result per message: 200 for all, 207 if some failed (%s)',
    async (path) => {
      const whole = await send(path, { emails: [message(), message({ to: 'grace@example.com' })] });
      expect(whole.status).toBe(200);
      expect(whole.body.data).toMatchObject([
        { index: 0, status: 'ok', data: { to: 'ada@example.com', status: 'PENDING' } },
        { index: 1, status: 'ok', data: { to: 'grace@example.com' } },
      ]);
      const part = await send(path, {
        emails: [
          message({ to: 'nobody' }),
          message(),
          message({ from: 'me@elsewhere.example' }),
          message({ colour: 'red' }),
        ],
      });
      expect(part.status).toBe(207);
      const code = path.includes('v1') ? 'validation_error' : 'VALIDATION_ERROR';
      expect(part.body.data).toMatchObject([
        { index: 0, status: 'error', error: { code, message: expect.stringContaining('to must be') } },
        { index: 1, status: 'ok' },
        { index: 2, status: 'error', error: { code, message: expect.stringContaining('from') } },
        { index: 3, status: 'error', error: { code, message: expect.stringContaining('colour') } },
      ]);
    },
  );

  it('returns the same response for a repeated key', async () => {
    const headers = { 'idempotency-key': 'batch-1' };
    const body = { emails: [message(), message({ from: 'me@elsewhere.example' })] };
    const first = await send('/api/v1/emails/batch', body, headers);
    expect(first.status).toBe(207);
    const again = await send('/api/v1/emails/batch', body, headers);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect((await send('/api/v1/emails/batch', { emails: [message()] }, headers)).status).toBe(422);
  });

  it('is refused as a whole if it is not a batch', async () => {
    for (const body of [
      { emails: [] },
      { emails: 'x' },
      {},
      { emails: Array.from({ length: 101 }, () => message()) },
    ]) {
      expect((await send('/api/v1/emails/batch', body)).status).toBe(422);
    }
  });
});

describe('a send', () => {
  it.each([
    [{ cc: Array.from({ length: 50 }, (_, index) => `${index}@example.com`) }, '/cc'],
    [{ bcc: ['not an address'] }, '/bcc/0'],
    [{ attachments: [{ filename: 'a/b.txt', content: 'AAAA' }] }, '/attachments/0/filename'],
    [{ attachments: [{ filename: 'a\\b.txt', content: 'AAAA' }] }, '/attachments/0/filename'],
    [{ attachments: [{ filename: 'gnp.\u202eexe', content: 'AAAA' }] }, '/attachments/0/filename'],
    [{ attachments: [{ filename: 'a.txt', content: '' }] }, '/attachments/0/content'],
    [{ attachments: [{ filename: 'a.txt', content: '%%%' }] }, '/attachments/0/content'],
    [{ attachments: [{ filename: 'a.txt', content: 'AAAAA' }] }, '/attachments/0/content'],
    [
      { attachments: [{ filename: 'a.txt', content: 'AAAA', content_type: 'text' }] },
      '/attachments/0/content_type',
    ],
    [
      {
        attachments: [{ filename: 'a.txt', content: Buffer.alloc(10 * 1024 * 1024 + 1).toString('base64') }],
      },
      '/attachments',
    ],
    [{ scheduled_at: '2126-01-01T00:00:00Z' }, '/scheduled_at'],
    [{ template: '019b76da-a800-7000-8000-000000000001' }, '/template'],
    [{ subject: undefined }, '/subject'],
    [{ body: undefined }, '/body'],
    [{ tracking: { opens: 'yes' } }, '/tracking/opens'],
  ] as [object, string][])('is refused (%#) and stores nothing', async (more, pointer) => {
    // Earlier mail is delivered meanwhile.
    const newest = async () =>
      ((await suite.posthorn.get('/api/v1/emails?limit=1')).body.data as { id: string }[]).map(
        ({ id }) => id,
      );
    const before = await newest();
    const answer = await send('/api/v1/emails', message(more));
    expect([answer.status, answer.body.errors?.map((error: { pointer: string }) => error.pointer)]).toEqual([
      422,
      [pointer],
    ]);
    expect(await newest()).toEqual(before);
  });

  it('can be scheduled and cancelled, on both surfaces', async () => {
    const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
    const { body: first } = await send('/api/v1/emails', message({ scheduled_at }));
    expect((await suite.posthorn.get(`/api/v1/emails/${first.id}`)).body).toMatchObject({
      status: 'PENDING',
      scheduled_at,
    });
    const taken = await suite.posthorn.request('DELETE', `/api/v1/emails/${first.id}/schedule`);
    expect([taken.status, taken.body]).toEqual([200, { id: first.id, deleted: true }]);
    const { body: second } = await send('/api/emails', message({ scheduledAt: scheduled_at }));
    const id = second.data.emails[0].email as string;
    expect((await suite.posthorn.request('DELETE', `/api/emails/${id}/schedule`)).body).toEqual({
      success: true,
    });
    expect((await suite.posthorn.get(`/api/emails/${id}`)).body.data.status).toBe('CANCELLED');
  });

  it('shows the sent content', async () => {
    const attachments = [{ filename: 'hello.txt', content: 'SGVsbG8=', content_type: 'text/plain' }];
    const { body } = await send('/api/v1/emails', message({ cc: 'grace@example.com', attachments }));
    // A process that is busy for longer than rendering may take answers 503.
    const { body: content } = await eventually(async () => {
      const answer = await suite.posthorn.get(`/api/v1/emails/${body.id}/content`);
      return answer.status !== 503 && answer;
    }, 'the content');
    expect(content).toMatchObject({
      id: body.id,
      subject: 'Hello',
      html: '<p>Hi</p>',
      headers: { To: 'ada@example.com', Cc: 'grace@example.com', Subject: 'Hello' },
      attachments: [{ filename: 'hello.txt', size: 5, disposition: 'attachment' }],
    });
  });
});
