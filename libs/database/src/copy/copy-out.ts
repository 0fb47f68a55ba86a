import pg from 'pg';

/** Extends the query of the driver, which discards the data: other classes cannot be pipelined. */
class CopyOutQuery extends pg.Query {
  constructor(
    sql: string,
    private readonly onData: (bytes: Buffer) => void,
    done: (error: Error | undefined) => void,
  ) {
    super(sql, done);
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.onData(chunk);
  }
}

/** An error of `take` rejects only after all data has come, so that the connection stays in a defined state. */
export function copyOut(client: pg.ClientBase, select: string, take: (bytes: Buffer) => void): Promise<void> {
  const copied = new CopiedBytes(take);
  let failure: unknown = null;
  // An error that is thrown in a handler of the socket would end the process.
  const attempt = (step: () => void) => {
    try {
      if (failure === null) step();
    } catch (error) {
      failure = error;
    }
  };
  return new Promise((resolve, reject) => {
    const done = (error: Error | undefined) => {
      if (!error) attempt(() => copied.end());
      // Until the server closes the connection, the pool would lend it again.
      if (isFatal(error)) void (client as pg.Client).end().catch(() => undefined);
      if (error ?? failure) reject((error ?? failure) as Error);
      else resolve();
    };
    client.query(
      new CopyOutQuery(
        `COPY (${select}) TO STDOUT (FORMAT binary)`,
        (bytes) => attempt(() => copied.push(bytes)),
        done,
      ),
    );
  });
}

const isFatal = (error: Error | undefined): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'FATAL';

export const withLiterals = (sql: string, parameters: readonly (string | number)[]): string =>
  sql.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const value = parameters[Number(number) - 1];
    if (value === undefined) throw new Error(`there is no parameter $${number}`);
    return pg.escapeLiteral(String(value));
  });

const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const headerBytes = signature.length + 8;
const criticalFlags = 0xffff0000;
const none = -1;

type Field = 'header' | 'columns' | 'length';
const fieldBytes: Record<Field, number> = { header: headerBytes, columns: 2, length: 4 };

export class CopyMisread extends Error {
  override readonly name = 'CopyMisread';
}

export class CopiedBytes {
  private readonly field = Buffer.alloc(headerBytes);
  private filled = 0;
  private next: Field | 'nothing' = 'header';
  private left = 0;
  private isValue = false;

  constructor(
    /** Must copy the bytes before it returns, because the driver reuses the buffer. */
    private readonly take: (bytes: Buffer) => void,
  ) {}

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;)
      at += this.left > 0 ? this.readLong(bytes, at) : this.readField(bytes, at);
  }

  end(): void {
    if (this.next !== 'nothing') throw new CopyMisread('ended before its trailer');
  }

  private readLong(bytes: Buffer, at: number): number {
    const part = bytes.subarray(at, at + this.left);
    this.left -= part.length;
    if (this.isValue) this.take(part);
    return part.length;
  }

  private readField(bytes: Buffer, at: number): number {
    if (this.next === 'nothing') throw new CopyMisread('continues after its trailer');
    const wanted = fieldBytes[this.next];
    const copied = bytes.copy(this.field, this.filled, at, at + wanted - this.filled);
    this.filled += copied;
    if (this.filled === wanted) {
      this.filled = 0;
      this[this.next]();
    }
    return copied;
  }

  private header(): void {
    const flags = this.field.readUInt32BE(signature.length);
    if (!this.field.subarray(0, signature.length).equals(signature))
      throw new CopyMisread('has another signature');
    if ((flags & criticalFlags) !== 0) throw new CopyMisread(`has unknown flags: ${flags}`);
    this.left = this.field.readUInt32BE(signature.length + 4);
    this.next = 'columns';
  }

  private columns(): void {
    const columns = this.field.readInt16BE(0);
    if (columns !== 1 && columns !== none) throw new CopyMisread(`has ${columns} columns`);
    this.next = columns === none ? 'nothing' : 'length';
  }

  private length(): void {
    const length = this.field.readInt32BE(0);
    if (length < none) throw new CopyMisread(`has a value of ${length} bytes`);
    this.left = Math.max(0, length);
    this.isValue = true;
    this.next = 'columns';
  }
}
