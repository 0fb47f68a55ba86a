const forgottenAfterMs = 10_000;
const most = 1_000;

/** Tells a new line from one that only repeats an earlier one, apart from its numbers. */
export class Repeats {
  private readonly seenAt = new Map<string, number>();

  isNew(line: string): boolean {
    const key = line.replaceAll(/\d+/g, '#');
    const now = performance.now();
    const before = this.seenAt.get(key) ?? -Infinity;
    this.seenAt.delete(key);
    this.seenAt.set(key, now);
    if (this.seenAt.size > most) this.seenAt.delete(this.seenAt.keys().next().value!);
    return now - before > forgottenAfterMs;
  }
}
