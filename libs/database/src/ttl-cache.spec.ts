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
  return { clock, asked: requested, memory: new TtlCache(read, () => clock.now) };
}

describe('a TTL cache', () => {
  it('caches a value for a second', async () => {
    const { clock, asked: requested, memory } = build(['one', 'two']);
    expect(await memory.of('project', 'name')).toBe('one');
    clock.now = 999;
    expect(await memory.of('project', 'name')).toBe('one');
    clock.now = 1_000;
    expect(memory.cached('project', 'name')).toBeNull();
    expect(await memory.of('project', 'name')).toBe('two');
    expect(requested).toEqual([
      ['project', 'name'],
      ['project', 'name'],
    ]);
  });

  it('reads once for concurrent callers, and again on refresh', async () => {
    const { asked: requested, memory } = build(['one', 'two']);
    expect(await Promise.all([memory.of('a'), memory.of('a'), memory.of('a')])).toEqual([
      'one',
      'one',
      'one',
    ]);
    expect(await memory.refresh('a')).toBe('two');
    expect(await memory.of('a')).toBe('two');
    expect(requested).toHaveLength(2);
  });

  it('caches neither null nor failures', async () => {
    const { memory } = build([null, new Error('gone'), 'there']);
    expect(await memory.of('a')).toBeNull();
    await expect(memory.of('a')).rejects.toThrow('gone');
    expect(await memory.of('a')).toBe('there');
  });
});
