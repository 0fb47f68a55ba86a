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
