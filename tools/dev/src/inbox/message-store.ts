import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { errorCode } from '../dev-server-error.js';

export interface MessageSummary {
  id: string;
  receivedAt: string;
  envelope: { from: string; to: string[] };
  /** The From header as its reader sees it. */
  from: string;
  subject: string;
  size: number;
}

export interface MessageQuery {
  limit: number;
  /** Continue behind this message (the list runs from new to old). */
  after?: string;
  /** One recipient of the envelope. */
  to?: string;
  /** Part of the subject, the sender or a recipient. */
  text?: string;
}

const headBytes = 64 * 1024;

/** Messages on disk, one file each, with an index of one line each that is also held in memory. */
export class MessageStore {
  private entries: MessageSummary[] = [];
  private linesOnDisk = 0;
  private sequence = 0;
  /** Index writes run one after the other. */
  private indexWrites: Promise<void> = Promise.resolve();
  private readonly directory: string;
  private readonly capacity: number;

  private constructor(directory: string, capacity: number) {
    this.directory = directory;
    this.capacity = capacity;
  }

  static async open(directory: string, capacity: number): Promise<MessageStore> {
    const store = new MessageStore(directory, capacity);
    await mkdir(join(directory, 'messages'), { recursive: true });
    await store.load();
    return store;
  }

  get count(): number {
    return this.entries.length;
  }

  /** Writes a message to disk as it arrives and resolves once it lies there; null when the sender's message was too large. */
  async add(
    envelope: MessageSummary['envelope'],
    source: AsyncIterable<Buffer>,
    tooLarge: () => boolean,
  ): Promise<MessageSummary | null> {
    const id = this.nextId();
    const written = await this.writeMessage(id, source, tooLarge);
    if (written === null) {
      await rm(this.path(id), { force: true });
      return null;
    }
    const summary = {
      id,
      receivedAt: new Date().toISOString(),
      envelope,
      ...(await headline(written.head)),
      size: written.size,
    };
    this.entries.push(summary);
    await this.inOrder(() => this.appendToIndex(summary));
    return summary;
  }

  find(id: string): MessageSummary | undefined {
    return this.entries.find((entry) => entry.id === id);
  }

  raw(id: string): Promise<Buffer> {
    return readFile(this.path(id));
  }

  list({ limit, after, to, text }: MessageQuery): { messages: MessageSummary[]; after: string | null } {
    const recipient = to?.toLowerCase();
    const wanted = text?.toLowerCase();
    const messages: MessageSummary[] = [];
    // A message that is not there any more was among the oldest: nothing follows it.
    const end =
      after === undefined
        ? this.entries.length
        : Math.max(
            0,
            this.entries.findIndex(({ id }) => id === after),
          );
    for (const entry of this.entries.slice(0, end).reverse()) {
      if (
        recipient !== undefined &&
        !entry.envelope.to.some((address) => address.toLowerCase() === recipient)
      )
        continue;
      if (
        wanted !== undefined &&
        ![entry.subject, entry.from, ...entry.envelope.to].some((value) =>
          value.toLowerCase().includes(wanted),
        )
      )
        continue;
      if (messages.length === limit) return { messages, after: messages.at(-1)?.id ?? null };
      messages.push(entry);
    }
    return { messages, after: null };
  }

  async clear(): Promise<void> {
    await this.inOrder(async () => {
      const removed = this.entries;
      this.entries = [];
      await this.rewriteIndex();
      for (const { id } of removed) await rm(this.path(id), { force: true });
    });
  }

  /** Resolves when everything accepted so far lies on disk. */
  settled(): Promise<void> {
    return this.indexWrites;
  }

  private async load(): Promise<void> {
    const files = new Set(await readdir(join(this.directory, 'messages')));
    const lines = (await readIfThere(this.indexPath)).split('\n');
    const found = lines.flatMap(parseLine).filter(({ id }) => files.has(`${id}.eml`));
    this.entries = found.slice(-this.capacity);
    await this.rewriteIndex();
    const stored = new Set(this.entries.map(({ id }) => `${id}.eml`));
    // A file without its line was never acknowledged: its sender will come again.
    for (const file of files)
      if (!stored.has(file)) await rm(join(this.directory, 'messages', file), { force: true });
  }

  private async writeMessage(
    id: string,
    source: AsyncIterable<Buffer>,
    tooLarge: () => boolean,
  ): Promise<{ head: Buffer; size: number } | null> {
    const file = await open(this.path(id), 'wx');
    const head: Buffer[] = [];
    let size = 0;
    try {
      // The rest of a message that is too large is read, as SMTP wants, but not kept.
      for await (const chunk of source) {
        if (tooLarge()) continue;
        if (size < headBytes) head.push(chunk);
        await file.writeFile(chunk);
        size += chunk.length;
      }
    } finally {
      await file.close();
    }
    return tooLarge() ? null : { head: Buffer.concat(head), size };
  }

  private async appendToIndex(summary: MessageSummary): Promise<void> {
    await appendFile(this.indexPath, `${JSON.stringify(summary)}\n`);
    this.linesOnDisk++;
    while (this.entries.length > this.capacity)
      await rm(this.path(this.entries.shift()?.id ?? ''), { force: true });
    if (this.linesOnDisk > this.capacity * 2) await this.rewriteIndex();
  }

  private async rewriteIndex(): Promise<void> {
    const aside = `${this.indexPath}.new`;
    const lines = this.entries.map((entry) => `${JSON.stringify(entry)}\n`);
    await writeFile(aside, lines.join(''));
    await rename(aside, this.indexPath);
    this.linesOnDisk = lines.length;
  }

  private inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.indexWrites.then(work);
    this.indexWrites = done.catch(() => {});
    return done;
  }

  private nextId(): string {
    this.sequence = (this.sequence + 1) % 36 ** 4;
    return `${Date.now().toString(36).padStart(9, '0')}${this.sequence.toString(36).padStart(4, '0')}${randomBytes(2).toString('hex')}`;
  }

  private path(id: string): string {
    return join(this.directory, 'messages', `${id}.eml`);
  }

  private get indexPath(): string {
    return join(this.directory, 'index.jsonl');
  }
}

async function headline(head: Buffer): Promise<{ from: string; subject: string }> {
  const end = head.indexOf('\r\n\r\n');
  const parsed = await PostalMime.parse(end === -1 ? head : head.subarray(0, end + 4));
  return { from: parsed.from?.name || parsed.from?.address || '', subject: parsed.subject ?? '' };
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/** The last line may be torn by a kill. */
function parseLine(line: string): MessageSummary[] {
  try {
    return [JSON.parse(line) as MessageSummary];
  } catch {
    return [];
  }
}
