import { afterAll, describe, expect, it } from '@jest/globals';
import type { DatabaseClock } from '@posthorn/database';
import { Rendering } from './rendering.js';

const owner = { projectId: 'a', deadline: null };
// Nobody waits with a deadline here.
const rendering = new Rendering({ msUntil: () => Promise.resolve(null) } as unknown as DatabaseClock);
afterAll(() => rendering.onModuleDestroy());

const refused = (message: RegExp) => ({
  kind: 'invalid',
  details: { errors: [{ path: ['body'], code: 'invalid_format', message: expect.stringMatching(message) }] },
});

/** A busy machine may take longer once, but not every time. */
async function check(source: string): ReturnType<Rendering['check']> {
  for (let tries = 1; tries < 5; tries += 1) {
    const [outcome] = await Promise.allSettled([rendering.check(owner, 'body', source)]);
    if (outcome.status === 'fulfilled') return outcome.value;
    if (!/took longer/.test(String(outcome.reason))) throw outcome.reason;
  }
  return rendering.check(owner, 'body', source);
}

describe('a source of the maximum size', () => {
  it('is parsed within the limits of its thread', async () => {
    expect(await check('{{ a }}'.repeat(19_900))).toEqual({
      includes: [],
      liquid: true,
    });
    expect(await check(`{{> footer}}${'x'.repeat(1024 * 1024)}`)).toEqual({
      includes: ['footer'],
      liquid: true,
    });
    await expect(check(`${'x\n'.repeat(500_000)}{{`)).rejects.toMatchObject(
      refused(/^line 500001, column 1: /),
    );
  });

  it('affects no other job where it exceeds them', async () => {
    const source = (html: string) => ({
      subject: '',
      html,
      variables: {},
      snippets: {},
      now: new Date(0),
      category: 'TRANSACTIONAL' as const,
    });
    const loop = '{% for i in (1..3000) %}{% for j in (1..3000) %}{% assign x = j %}{% endfor %}{% endfor %}';
    const [lost, shown] = await Promise.allSettled([
      rendering.preview(owner, source(loop)),
      rendering.preview(owner, source('<p>Hello</p>')),
    ]);
    expect(lost).toMatchObject({ status: 'rejected', reason: { kind: 'invalid' } });
    expect(shown).toMatchObject({ status: 'fulfilled', value: { html: '<p>Hello</p>' } });
  });
});
