import { describe, expect, it } from '@jest/globals';
import { TtlCache } from './ttl-cache.js';

function build(answers: (string | null | Error)[]) {
  const clock = { now: 0 };
  const requested: string[][] = [];
  const read = (...key: string[]) => {
    requested.push(key);
    const answer = answers.shift();
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer ?? null);
  };
  return { clock, requested, cache: new TtlCache(read, () => clock.now) };
}

describe('a TTL cache', () => {
  it('caches a value for a second', async () => {
    const { clock, requested, cache } = build(['one', 'two']);
    expect(await cache.of('project', 'name')).toBe('one');
    clock.now = 999;
    expect(await cache.of('project', 'name')).toBe('one');
    clock.now = 1_000;
    expect(cache.cached('project', 'name')).toBeNull();
    expect(await cache.of('project', 'name')).toBe('two');
    expect(requested).toEqual([
      ['project', 'name'],
      ['project', 'name'],
    ]);
  });

  it('reads once for concurrent callers, and again on refresh', async () => {
    const { requested, cache } = build(['one', 'two']);
    expect(await Promise.all([cache.of('a'), cache.of('a'), cache.of('a')])).toEqual(['one', 'one', 'one']);
    expect(await cache.refresh('a')).toBe('two');
    expect(await cache.of('a')).toBe('two');
    expect(requested).toHaveLength(2);
  });

  it('caches neither null nor failures', async () => {
    const { cache } = build([null, new Error('gone'), 'there']);
    expect(await cache.of('a')).toBeNull();
    await expect(cache.of('a')).rejects.toThrow('gone');
    expect(await cache.of('a')).toBe('there');
  });
});
