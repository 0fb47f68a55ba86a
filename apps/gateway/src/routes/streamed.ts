import { Readable } from 'node:stream';

/** The pages of a list. The first is loaded before the response starts, so that its failure still gets an error response. */
export async function* pagesFrom<Page>(
  first: Page,
  loadNext: (page: Page) => Promise<Page> | null,
): AsyncGenerator<Page> {
  for (let page = first; ;) {
    yield page;
    const next = loadNext(page);
    if (!next) return;
    page = await next;
  }
}

export class StreamedList {
  constructor(private readonly pages: AsyncIterable<readonly object[]>) {}

  map(write: (entry: object) => object): StreamedList {
    return new StreamedList(mapped(this.pages, write));
  }

  async *texts(): AsyncGenerator<string> {
    yield '[';
    let separator = '';
    for await (const page of this.pages) {
      for (const entry of page) {
        yield separator;
        yield* textsOf(entry);
        separator = ',';
      }
    }
    yield ']';
  }
}

export class StreamedResource {
  constructor(private readonly value: object) {}

  stream(write: (value: object) => object): Readable {
    return Readable.from(gathered(textsOf(write(this.value))));
  }
}

const textsAtOnce = 64 * 1024;

async function* mapped(
  pages: AsyncIterable<readonly object[]>,
  write: (entry: object) => object,
): AsyncGenerator<object[]> {
  for await (const page of pages) yield page.map(write);
}

async function* textsOf(value: unknown): AsyncGenerator<string> {
  if (value instanceof StreamedList) yield* value.texts();
  else if (!holdsList(value)) yield JSON.stringify(value);
  else {
    let opening = '{';
    for (const [name, member] of Object.entries(value)) {
      yield `${opening}${JSON.stringify(name)}:`;
      yield* textsOf(member);
      opening = ',';
    }
    yield '}';
  }
}

const holdsList = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).some((member) => member instanceof StreamedList || holdsList(member));

/** Joins small texts, each of which would be a write to the socket. */
async function* gathered(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting = '';
  for await (const text of texts) {
    waiting += text;
    if (waiting.length < textsAtOnce) continue;
    yield waiting;
    waiting = '';
  }
  if (waiting) yield waiting;
}
