export interface FreeBytes {
  small: number;
  large: number;
  /** No large message is in memory, so one of any size may be claimed. */
  anySizeFits: boolean;
}

interface SizedMessage {
  bytes: number;
}

/** Larger messages have a memory budget of their own, so that they never block small ones. */
export const largeMessage = 1024 * 1024;
const budgets = { small: 32 * 1024 * 1024, large: 24 * 1024 * 1024 };

/** Bounds the memory of messages between their claim and the end of their hand-off. */
export class BytesInMemory {
  private readonly entries = new Map<SizedMessage, { sizeClass: 'small' | 'large'; bytes: number }>();
  private readonly used = { small: 0, large: 0 };

  get free(): FreeBytes {
    return {
      small: budgets.small - this.used.small,
      large: budgets.large - this.used.large,
      anySizeFits: this.used.large === 0,
    };
  }

  add(messages: readonly SizedMessage[]): void {
    for (const message of messages) {
      const { bytes } = message;
      const sizeClass = bytes > largeMessage ? 'large' : 'small';
      this.entries.set(message, { sizeClass, bytes });
      this.used[sizeClass] += bytes;
    }
  }

  resize(message: SizedMessage, bytes: number): void {
    const entry = this.entries.get(message);
    if (!entry) return;
    this.used[entry.sizeClass] += bytes - entry.bytes;
    entry.bytes = bytes;
  }

  /** Returns whether messages may fit now that did not fit before. */
  remove(messages: readonly SizedMessage[]): boolean {
    const wasFull = this.free.small <= 0;
    let large = false;
    for (const message of messages) {
      const entry = this.entries.get(message);
      if (!entry) continue;
      this.entries.delete(message);
      this.used[entry.sizeClass] -= entry.bytes;
      large ||= entry.sizeClass === 'large';
    }
    return large || (wasFull && this.free.small > 0);
  }
}
