export interface Capacity {
  small: number;
  large: number;
  /** No large message is in memory, so one of any size may be claimed. */
  anySizeFits: boolean;
}

interface Held {
  bytes: number;
}

/** Larger messages have a memory budget of their own, so that they never block small ones. */
export const largeMessage = 1024 * 1024;
const budgets = { small: 32 * 1024 * 1024, large: 24 * 1024 * 1024 };

/** Bounds the memory of messages between their claim and the end of their hand-off. */
export class HeldBytes {
  private readonly held = new Map<Held, { sizeClass: 'small' | 'large'; bytes: number }>();
  private readonly used = { small: 0, large: 0 };

  get capacity(): Capacity {
    return {
      small: budgets.small - this.used.small,
      large: budgets.large - this.used.large,
      anySizeFits: this.used.large === 0,
    };
  }

  add(messages: readonly Held[]): void {
    for (const message of messages) {
      const { bytes } = message;
      const sizeClass = bytes > largeMessage ? 'large' : 'small';
      this.held.set(message, { sizeClass, bytes });
      this.used[sizeClass] += bytes;
    }
  }

  resize(message: Held, bytes: number): void {
    const held = this.held.get(message);
    if (!held) return;
    this.used[held.sizeClass] += bytes - held.bytes;
    held.bytes = bytes;
  }

  remove(messages: readonly Held[]): boolean {
    const wasFull = this.capacity.small <= 0;
    let large = false;
    for (const message of messages) {
      const held = this.held.get(message);
      if (!held) continue;
      this.held.delete(message);
      this.used[held.sizeClass] -= held.bytes;
      large ||= held.sizeClass === 'large';
    }
    return large || (wasFull && this.capacity.small > 0);
  }
}
