import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { IdentityCache } from './identities.js';

/** A cache whose clock and database the test controls. */
function build() {
  const requested: string[][] = [];
  const state = { now: 0, gone: false, held: Promise.resolve() };
  const memory = new IdentityCache<string>(
    async (lookups) => {
      const { now, held } = state;
      state.held = Promise.resolve();
      requested.push(lookups);
      await held;
      if (state.gone) throw new Error('gone');
      return lookups.map((query) => (query.startsWith('no') ? null : `${query} at ${now}`));
    },
    1_500,
    () => state.now,
  );
  /** Delays the reply to the next query. */
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    state.held = promise;
    return resolve;
  };
  return { asked: requested, state, memory, hold };
}

const untilTogether = () => delay(150);

describe('a cached lookup', () => {
  it('is refreshed for all active keys in one query without delaying anybody', async () => {
    const { asked: requested, state, memory } = build();
    const keys = ['one', 'two', 'three'];
    await Promise.all([...keys, 'idle'].map(async (key) => memory.resolve(key)));
    requested.length = 0;
    state.now = 599;
    expect(keys.map((key) => memory.resolve(key))).toEqual(keys.map((key) => `${key} at 0`));
    state.now = 600;
    expect([...keys, ...keys].map((key) => memory.resolve(key))).toEqual(
      [...keys, ...keys].map((key) => `${key} at 0`),
    );
    await untilTogether();
    expect(requested).toEqual([keys]);
    state.now = 1_549;
    expect(keys.map((key) => memory.resolve(key))).toEqual(keys.map((key) => `${key} at 600`));
    expect(await memory.resolve('idle')).toBe('idle at 1549');
  });

  it('is loaded again when it expires, also after a failed refresh', async () => {
    const { state, memory } = build();
    await memory.resolve('one');
    state.now = 700;
    state.gone = true;
    expect(memory.resolve('one')).toBe('one at 0');
    await untilTogether();
    state.now = 949;
    expect(memory.resolve('one')).toBe('one at 0');
    await untilTogether();
    state.now = 950;
    await expect(memory.resolve('one')).rejects.toThrow('gone');
    state.gone = false;
    expect(await memory.resolve('one')).toBe('one at 950');
  });

  it('is not replaced by the result of an earlier query, and does not join a query that is too old', async () => {
    const { asked: requested, state, memory, hold } = build();
    await memory.resolve('one');
    state.now = 600;
    const release = hold();
    expect(memory.resolve('one')).toBe('one at 0');
    await untilTogether();
    state.now = 1_549;
    const joined = memory.resolve('one');
    state.now = 1_550;
    const own = memory.resolve('one');
    expect(requested).toHaveLength(3);
    expect(await own).toBe('one at 1550');
    release();
    expect(await joined).toBe('one at 600');
    expect(memory.resolve('one')).toBe('one at 1550');
  });

  it('is refreshed at once if there is no time to wait for others', async () => {
    const { asked: requested, state, memory } = build();
    await memory.resolve('one');
    state.now = 750;
    expect(memory.resolve('one')).toBe('one at 0');
    expect(requested).toHaveLength(2);
  });

  it('is not refreshed for unknown keys', async () => {
    const { asked: requested, state, memory } = build();
    expect(await memory.resolve('nobody')).toBeNull();
    state.now = 800;
    expect(memory.resolve('nobody')).toBeNull();
    await untilTogether();
    expect(requested).toHaveLength(1);
  });
});
