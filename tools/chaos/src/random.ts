/** A stream of numbers that is the same for the same seed (mulberry32): what is picked by it can be played again. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** The same for the same words, whoever asks first. */
  static named(texts: string): Random {
    return new Random(
      [...texts].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), 0x811c9dc5),
    );
  }

  /** In [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(from: readonly T[]): T {
    return from[this.whole(0, from.length - 1)]!;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  weighted<T extends { weight: number }>(from: readonly T[]): T {
    let left = this.next() * from.reduce((sum, { weight }) => sum + weight, 0);
    return from.find(({ weight }) => (left -= weight) < 0) ?? from.at(-1)!;
  }

  shuffled<T>(from: readonly T[]): T[] {
    const rest = [...from];
    return from.map(() => rest.splice(this.whole(0, rest.length - 1), 1)[0]!);
  }
}
