import { spawn, type ChildProcess } from 'node:child_process';
import { afterAll, describe, expect, it } from '@jest/globals';
import { chooseQuietPort } from '@posthorn/dev';
import { eventually } from '@posthorn/testing';
import { withPosthorn } from '../testing/bad-input.js';
import { inboxMessages, rawMessage } from '../testing/inbox.js';

const suite = withPosthorn();
let server: ChildProcess | undefined;
afterAll(() => void server?.kill());

const done = async (path: string, body: object, key?: string) => {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const answer = await suite.posthorn.post(`/api/v1/${path}`, body, headers);
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body;
};

describe('a subscription from a page', () => {
  it('is confirmed by the link that the server of the guide mails, which no answer contains', async () => {
    const { baseUrl, secretKey } = suite.posthorn.dev;
    const port = await chooseQuietPort();
    const { secret } = await done('webhooks', {
      url: `http://127.0.0.1:${port}/`,
      event_types: ['list.pending'],
    });
    suite.posthorn.keepSecret(secret);
    server = spawn(
      process.execPath,
      ['docs/guides/confirmations.mjs', baseUrl, secretKey, secret, String(port)],
      {
        stdio: 'inherit',
      },
    );
    const list = await done('lists', { name: 'News', double_opt_in: true });
    const email = 'ada@shop.example';
    const answer = await done(`lists/${list.id}/subscribe`, { email }, suite.posthorn.dev.formKey);
    expect(answer).toMatchObject({ status: 'PENDING' });
    expect(JSON.stringify(answer)).not.toMatch(/token|confirm/i);
    const { id } = await eventually(
      async () =>
        (await inboxMessages(suite.posthorn)).find(({ subject }) => subject === 'Please confirm: News'),
      'the mail of the server',
      60_000,
    );
    const raw = (await rawMessage(suite.posthorn, id)).replace(/=\r\n/g, '').replaceAll('=3D', '=');
    const link = new URL(/https?:[^"\s\]]+confirm-subscription\?token=[\w-]+/.exec(raw)![0]);
    const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
    const pressed = await fetch(`${baseUrl}${link.pathname}${link.search}`, {
      method: 'POST',
      headers: form,
      body: 'confirmed=yes',
    });
    expect(pressed.status).toBe(200);
    const { body } = await suite.posthorn.get(`/api/v1/lists/${list.id}/members`);
    expect(body.data).toMatchObject([{ email, status: 'CONFIRMED' }]);
  });
});
