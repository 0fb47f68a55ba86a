import { describe, expect, it } from '@jest/globals';
import { StreamedList, StreamedResource } from './streamed.js';

async function* pagesOf(...pages: object[][]): AsyncGenerator<object[]> {
  for (const page of pages) yield await Promise.resolve(page);
}

const textOf = async (value: object, write = (plain: object): object => plain): Promise<string> =>
  (await new StreamedResource(value).stream(write).toArray()).join('');

describe('a resource that is streamed', () => {
  it('is the JSON that it would be at once, lists in lists and empty pages too', async () => {
    const inner = [{ a: 1 }, { a: 'é"' }];
    const streamed = {
      success: true,
      data: {
        at: new Date(0),
        none: null,
        map: { a: [1, { b: {} }] },
        list: new StreamedList(
          pagesOf([{ id: 1, of: new StreamedList(pagesOf([], inner)) }], [], [{ id: 2, of: [] }]),
        ),
        empty: new StreamedList(pagesOf()),
      },
    };
    const { at, none, map } = streamed.data;
    const plain = {
      success: true,
      data: {
        at,
        none,
        map,
        list: [
          { id: 1, of: inner },
          { id: 2, of: [] },
        ],
        empty: [],
      },
    };
    expect(await textOf(streamed)).toBe(JSON.stringify(plain));
    expect(await textOf({ list: new StreamedList(pagesOf([{ a: 1 }])).map((entry) => ({ entry })) })).toBe(
      '{"list":[{"entry":{"a":1}}]}',
    );
  });

  it('reads no page before those in front of it went out', async () => {
    let read = 0;
    async function* pages(): AsyncGenerator<object[]> {
      for (; read < 1_000; read += 1) yield await Promise.resolve([{ words: 'x'.repeat(100_000) }]);
    }
    const stream = new StreamedResource({ list: new StreamedList(pages()) }).stream((plain) => plain);
    await stream.iterator({ destroyOnReturn: true }).next();
    expect(read).toBeLessThan(100);
    stream.destroy();
  });

  it('breaks off where a page fails', async () => {
    async function* pages(): AsyncGenerator<object[]> {
      yield await Promise.resolve([{}]);
      throw new Error('gone');
    }
    await expect(textOf({ list: new StreamedList(pages()) })).rejects.toThrow('gone');
  });
});
