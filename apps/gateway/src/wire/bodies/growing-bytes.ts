const firstBytes = 8 * 1024;

/** A buffer that doubles up to a limit, because most bodies of unknown length are small. */
export class GrowingBytes {
  private bytes: Buffer;

  constructor(private readonly most: number) {
    this.bytes = Buffer.allocUnsafe(Math.min(firstBytes, most));
  }

  put(chunk: Buffer, at: number): number {
    const needed = Math.min(at + chunk.length, this.most);
    if (needed > this.bytes.length) this.grow(needed, at);
    return chunk.copy(this.bytes, at);
  }

  upto(end: number): Buffer {
    return this.bytes.subarray(0, end);
  }

  private grow(needed: number, held: number): void {
    let size = this.bytes.length;
    while (size < needed) size *= 2;
    const larger = Buffer.allocUnsafe(Math.min(size, this.most));
    this.bytes.copy(larger, 0, 0, held);
    this.bytes = larger;
  }
}
