import { describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { withPosthorn } from '../testing/bad-input.js';
import { inboxMessages } from '../testing/inbox.js';

/** Liquid decodes the escape to half a character, and its error quotes it. */
const illFormed = '{% assign e = "i | x\\ud83d" %}{{ arr | where_exp: "i", e }}';
/** An error that quotes a filter name of more than a million letters. */
const endless = `{% assign e = "${'x'.repeat(300)}" %}${'{% assign e = e | append: e %}'.repeat(12)}{% assign e = "i | " | append: e %}{{ arr | where_exp: "i", e }}`;

describe('a mail with a malformed or huge error text', () => {
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

  it('fails with a readable error, while other mail is sent once', async () => {
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

  it('is published with a truncated error and does not block other events', async () => {
    const endlessly = await send('endless@elsewhere.test', endless);
    // More events than one batch of the relay, so that a blocked one would delay those behind it.
    for (let index = 0; index < 300; index += 1) await send(`told-${index}@elsewhere.test`);
    await contactOf('told-299@elsewhere.test');
    const failed = await ended(endlessly);
    expect(failed).toMatchObject({ status: 'RENDERING_FAILURE', failure_kind: 'rendering' });
    expect(failed.error).toMatch(/^body, line 1, column \d+: undefined filter: x{100}/);
    expect(failed.error.length).toBeLessThanOrEqual(2_000);
  });
});
