import { describe, expect, it } from '@jest/globals';
import { Gatherer } from './gatherer.js';

/** A flush that answers when it is told to. */
function held<In>() {
  const batches: {
    items: In[];
    answer: (results: (string | Error)[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const flush = (items: In[]) =>
    new Promise<(string | Error)[]>((answer, fail) => batches.push({ items, answer, fail }));
  return { batches, flush };
}

describe('gathering', () => {
  it('flushes the first items at once, and batches what arrives meanwhile', async () => {
    const { batches, flush } = held<number>();
    const gatherer = new Gatherer<number, string>({ flush, maxItems: 3 });
    const all = [1, 2, 3, 4, 5, 6].map((item) => gatherer.submit(item));
    expect(batches.map(({ items }) => items)).toEqual([[1], [2]]);
    batches[0]!.answer(['one']);
    expect(await all[0]).toBe('one');
    expect(batches[2]!.items).toEqual([3, 4, 5]);
    batches[1]!.answer(['two']);
    await all[1];
    expect(batches[3]!.items).toEqual([6]);
    batches[2]!.answer(['3', '4', '5']);
    batches[3]!.answer(['6']);
    expect(await Promise.all(all)).toEqual(['one', 'two', '3', '4', '5', '6']);
  });

  it('bounds a batch by bytes, except that one large item goes alone', async () => {
    const { batches, flush } = held<number>();
    const gatherer = new Gatherer<number, string>({
      flush,
      maxItems: 10,
      inFlight: 1,
      maxBytes: 100,
      sizeOf: (bytes) => bytes,
    });
    const all = [1, 500, 60, 30, 20].map((bytes) => gatherer.submit(bytes));
    for (const expected of [[1], [500], [60, 30], [20]]) {
      const batch = batches.at(-1)!;
      expect(batch.items).toEqual(expected);
      batch.answer(batch.items.map(String));
      await new Promise((next) => setImmediate(next));
    }
    expect(await Promise.all(all)).toEqual(['1', '500', '60', '30', '20']);
  });

  it('rests after a batch of several items, never after a single one', async () => {
    const { batches, flush } = held<number>();
    const gatherer = new Gatherer<number, string>({ flush, maxItems: 10, inFlight: 1, restMs: 20 });
    const all = [1, 2, 3].map((item) => gatherer.submit(item));
    batches[0]!.answer(['1']);
    expect(await all[0]).toBe('1');
    expect(batches[1]!.items).toEqual([2, 3]);
    batches[1]!.answer(['2', '3']);
    await Promise.all(all);
    const next = [4, 5].map((item) => gatherer.submit(item));
    expect(batches).toHaveLength(2);
    await new Promise((rested) => setTimeout(rested, 100));
    expect(batches[2]!.items).toEqual([4, 5]);
    batches[2]!.answer(['4', '5']);
    expect(await Promise.all(next)).toEqual(['4', '5']);
  });

  it('rejects only the item of an error, and all items of a failed flush', async () => {
    const { batches, flush } = held<number>();
    const gatherer = new Gatherer<number, string>({ flush, maxItems: 10, inFlight: 1 });
    const outcomes = Promise.allSettled([1, 2, 3].map((item) => gatherer.submit(item)));
    batches[0]!.fail(new Error('broken'));
    await new Promise((next) => setImmediate(next));
    batches[1]!.answer([new Error('bad row'), 'good']);
    expect(await outcomes).toMatchObject([
      { status: 'rejected', reason: { message: 'broken' } },
      { status: 'rejected', reason: { message: 'bad row' } },
      { status: 'fulfilled', value: 'good' },
    ]);
    await gatherer.drained();
  });
});
