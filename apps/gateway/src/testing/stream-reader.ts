export interface Frame {
  id: string;
  event: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever the gateway says
  data: any;
}

const waitMs = 10_000;

/** A client of server-sent events. */
export class StreamReader {
  private readonly frames: Frame[] = [];
  private readonly texts: string[] = [];
  private wake = () => {};
  readonly closed: Promise<void>;

  private constructor(
    private readonly response: Response,
    private readonly abort: AbortController,
  ) {
    this.closed = this.read().catch(() => undefined);
  }

  static async open(url: string, key: string, lastEventId?: string): Promise<StreamReader> {
    const abort = new AbortController();
    const response = await fetch(url, {
      signal: abort.signal,
      headers: {
        authorization: `Bearer ${key}`,
        ...(lastEventId ? { 'last-event-id': lastEventId } : {}),
      },
    });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return new StreamReader(response, abort);
  }

  get headers(): Headers {
    return this.response.headers;
  }

  /** Blocks without data: comments, and what a reader is told of the connection. */
  get comments(): readonly string[] {
    return this.texts;
  }

  /** The next events, in their order. */
  async events(count: number, withinMs = waitMs): Promise<Frame[]> {
    await this.arrive(() => this.frames.length >= count, withinMs);
    return this.frames.splice(0, count);
  }

  async until(event: string, withinMs = waitMs): Promise<Frame> {
    await this.arrive(() => this.frames.some((frame) => frame.event === event), withinMs);
    return this.frames.find((frame) => frame.event === event)!;
  }

  async close(): Promise<void> {
    this.abort.abort();
    await this.closed;
  }

  private async arrive(isThere: () => boolean, withinMs: number): Promise<void> {
    const deadline = Date.now() + withinMs;
    while (!isThere()) {
      if (Date.now() > deadline)
        throw new Error(`it did not come: ${JSON.stringify([this.frames, this.texts])}`);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, 100);
      });
    }
  }

  private async read(): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const part of this.response.body!) {
      text += decoder.decode(part as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) this.take(block);
      this.wake();
    }
  }

  private take(block: string): void {
    const lines = block.split('\n');
    const valueOf = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
    const data = valueOf('data');
    if (data) this.frames.push({ id: valueOf('id'), event: valueOf('event'), data: JSON.parse(data) });
    else this.texts.push(block);
  }
}
