import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { inboxMessages } from '../testing/inbox.js';
import { makeDataDirectory, RunningPosthorn, type Answer } from '../testing/running-posthorn.js';

describe('idempotency keys', () => {
  const directory = makeDataDirectory();
  const mail = { to: 'once@example.com', subject: 'Once', body: '<p>Hi</p>' };
  let posthorn: RunningPosthorn;
  let receipt: string;

  beforeAll(async () => {
    posthorn = await RunningPosthorn.start(directory.path);
  });
  afterAll(async () => {
    await posthorn.stop();
    directory.remove();
  });
  const send = (key: string, body: unknown = mail, path = '/api/v1/emails') =>
    posthorn.post(path, body, { 'idempotency-key': key });

  it('send one mail for fifty parallel callers, who get the same response or 409', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => send('parallel')));
    const receipts = new Set(answers.filter(({ status }) => status === 202).map(({ text }) => text));
    expect(receipts.size).toBe(1);
    [receipt] = [...receipts] as [string];
    for (const { status, body, headers } of answers.filter((answer) => answer.status !== 202)) {
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    await eventually(async () => (await inboxMessages(posthorn)).length > 0, 'the mail');
    expect((await posthorn.get('/api/v1/emails')).body.data).toHaveLength(1);
  });

  it('return the receipt byte for byte, whatever the order of members', async () => {
    expect((await send('parallel')).text).toBe(receipt);
    expect((await send('parallel', { body: mail.body, subject: mail.subject, to: mail.to })).text).toBe(
      receipt,
    );
  });

  it('return the legacy receipt byte for byte', async () => {
    const body = { to: ['a@example.com', 'b@example.com'], subject: 'Both', body: '<p>Hi</p>' };
    const first = await send('legacy', body, '/api/emails');
    expect(first.status).toBe(200);
    expect((await send('legacy', body, '/api/emails')).text).toBe(first.text);
  });

  it('refuse another body with 422, on both surfaces', async () => {
    const other = { ...mail, subject: 'Twice' };
    expect((await send('parallel', other)).body).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    });
    await send('legacy-other', { ...mail }, '/api/emails');
    const legacy = await send('legacy-other', other, '/api/emails');
    expect(legacy.status).toBe(422);
    expect(legacy.body).toMatchObject({ success: false, error: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    const outsider = { ...mail, to: 'stranger@example.com' };
    expect((await send('legacy-other', outsider, '/api/emails')).status).toBe(422);
    expect((await posthorn.get('/api/v1/contacts?search=stranger')).body.data).toEqual([]);
  });

  it('are separate for the two operations', async () => {
    const answer: Answer = await send('parallel', mail, '/api/emails');
    expect(answer.status).toBe(200);
  });

  it('of a public key do not stand in the way of a secret key', async () => {
    const claimed = await posthorn.post(
      '/api/v1/emails',
      { ...mail, subject: 'A visitor' },
      {
        'idempotency-key': 'order-1',
        authorization: `Bearer ${posthorn.dev.publicKey}`,
      },
    );
    expect(claimed.status).toBe(202);
    expect((await send('order-1', { ...mail, subject: 'The shop' })).status).toBe(202);
  });

  it.each([
    ['empty', ''],
    ['256 characters', 'k'.repeat(256)],
  ])('refuse a key that is %s and store nothing', async (_, key) => {
    const before = (await posthorn.get('/api/v1/emails?limit=100')).body.data.length;
    expect((await send(key)).status).toBe(422);
    expect((await posthorn.get('/api/v1/emails?limit=100')).body.data).toHaveLength(before);
  });

  it('return the receipt after a restart', async () => {
    await posthorn.stop();
    posthorn = await RunningPosthorn.start(directory.path);
    expect((await send('parallel')).text).toBe(receipt);
    // One through v1 and one through each of the two legacy keys.
    const copies = await eventually(async () => {
      const once = (await inboxMessages(posthorn)).filter(
        ({ envelope, subject }) => envelope.to[0] === 'once@example.com' && subject === 'Once',
      );
      return once.length >= 3 && once;
    }, 'one mail for each key');
    expect(copies).toHaveLength(3);
  });
});
