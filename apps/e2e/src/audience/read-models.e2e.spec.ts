import { describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { withPosthorn } from '../testing/bad-input.js';

const suite = withPosthorn({});
const rebuild = async (...texts: string[]) =>
  (await suite.operator('read-models', 'rebuild', ...texts)) as unknown as Record<
    string,
    { compared: number; repaired: number }
  >;

describe('rebuilt read models', () => {
  it('are unchanged, because events have counted everything in sending and contacts', async () => {
    const { posthorn } = suite;
    const made = await posthorn.post('/api/v1/contacts', { email: 'ada@example.com' });
    await posthorn.post('/api/track', { event: 'signup', email: 'ada@example.com' });
    const list = await posthorn.post('/api/v1/lists', { name: 'News' });
    await posthorn.post(`/api/v1/lists/${list.body.id}/subscribe`, { email: 'ada@example.com' });
    const condition = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'email.delivered', operator: 'triggered' }] }],
    };
    const segment = await posthorn.post('/api/v1/segments', { name: 'Reached', type: 'DYNAMIC', condition });
    await posthorn.post('/api/v1/emails', { to: 'ada@example.com', subject: 'Hello', body: '<p>Hello</p>' });
    await eventually(
      async () => {
        const { body } = await posthorn.get(`/api/v1/segments/${segment.body.id}`);
        return body.member_count === 1;
      },
      `the mail to ${made.body.id as string} is counted`,
    );
    const rebuilt = await rebuild();
    expect(Object.keys(rebuilt)).toEqual([
      'contacts',
      'lists',
      'segments',
      'events',
      'event_summaries',
      'mail_summaries',
      'analytics',
    ]);
    for (const [model, { compared, repaired }] of Object.entries(rebuilt)) {
      expect([model, repaired]).toEqual([model, 0]);
      expect([model, compared]).toEqual([model, expect.any(Number)]);
      expect(compared).toBeGreaterThan(0);
    }
    expect(await rebuild('--model', 'lists')).toEqual({ lists: { compared: 1, repaired: 0 } });
    await expect(rebuild('--model', 'nothing')).rejects.toThrow('must be one of');
  });
});
