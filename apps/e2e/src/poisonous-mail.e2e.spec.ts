import { describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { withPosthorn } from './testing/bad-input.js';
import { inboxMessages } from './testing/inbox.js';

/** Liquid reads the escape as one half of a character, and its error quotes it. */
const illFormed = '{% assign e = "i | x\\ud83d" %}{{ arr | where_exp: "i", e }}';
/** An error that quotes the name of a filter, which has more than a million letters. */
const endless = `{% assign e = "${'x'.repeat(300)}" %}${'{% assign e = e | append: e %}'.repeat(12)}{% assign e = "i | " | append: e %}{{ arr | where_exp: "i", e }}`;

describe('a mail whose error is no good text', () => {
  const suite = withPosthorn({ SENDING_RATE_PER_SECOND: '0', LEASE_SECONDS: '2', AMBIGUOUS_SECONDS: '1' });

  const send = async (to: string, body = '<p>Hello</p>'): Promise<string> => {
    const { status, body: answer } = await suite.posthorn.post('/api/v1/emails', {
      to,
      subject: 'Hello',
      body,
      data: { arr: [1] },
    });
    expect(status).toBe(202);
    return answer.id as string;
  };
  const ended = (id: string) =>
    eventually(async () => {
      const { body } = await suite.posthorn.get(`/api/v1/emails/${id}`);
      return body.status !== 'PENDING' && body.status !== 'SENDING' && body;
    }, `the end of ${id}`);
  const contactOf = (email: string) =>
    eventually(async () => {
      const { body } = await suite.posthorn.get(`/api/v1/contacts?search=${email}`);
      return body.data.length > 0 && body.data[0];
    }, `the contact ${email}`);

  it('fails with an error that can be read, while its neighbours go out once', async () => {
    const before = await Promise.all(['a', 'b'].map((name) => send(`before-${name}@elsewhere.test`)));
    const poisoned = await send('ill-formed@elsewhere.test', illFormed);
    const after = await Promise.all(['a', 'b'].map((name) => send(`after-${name}@elsewhere.test`)));
    expect(await ended(poisoned)).toMatchObject({
      status: 'RENDERING_FAILURE',
      failure_kind: 'rendering',
      error: expect.stringMatching(/undefined filter: x\ufffd/),
    });
    for (const id of [...before, ...after]) expect(await ended(id)).toMatchObject({ status: 'DELIVERED' });
    expect(suite.posthorn.child.exitCode).toBeNull();
    const copies = (await inboxMessages(suite.posthorn)).filter(({ envelope }) =>
      /^(before|after)-/.test(envelope.to[0]!),
    );
    expect(copies).toHaveLength(4);
  });

  it('is told of with its beginning where it is endless, and holds back no event of others', async () => {
    const endlessly = await send('endless@elsewhere.test', endless);
    // More events than the relay takes at once: whoever is told of behind them waits for all of them.
    for (let index = 0; index < 300; index += 1) await send(`told-${index}@elsewhere.test`);
    await contactOf('told-299@elsewhere.test');
    const failed = await ended(endlessly);
    expect(failed).toMatchObject({ status: 'RENDERING_FAILURE', failure_kind: 'rendering' });
    expect(failed.error).toMatch(/^body, line 1, column \d+: undefined filter: x{100}/);
    expect(failed.error.length).toBeLessThanOrEqual(2_000);
  });
});
