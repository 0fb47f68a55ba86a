const freshMs = 1_000;
const maxKept = 10_000;

interface Kept<Value> {
  value: Promise<Value>;
  readAt: number;
}

/** What is read again and again is read once a second; those who ask at the same time wait for one answer. What was not there is not kept. */
export class ShortMemory<Value> {
  private readonly memory = new Map<string, Kept<Value>>();

  constructor(
    private readonly read: (...key: string[]) => Promise<Value>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  of(...key: string[]): Promise<Value> {
    return this.kept(...key) ?? this.again(...key);
  }

  /** What is remembered and not too old. */
  kept(...key: string[]): Promise<Value> | null {
    const known = this.memory.get(key.join(' '));
    return known && this.now() - known.readAt < freshMs ? known.value : null;
  }

  /** Read now, whatever is remembered. */
  again(...key: string[]): Promise<Value> {
    const name = key.join(' ');
    const kept = { value: this.read(...key), readAt: this.now() };
    const forget = () => {
      if (this.memory.get(name) === kept) this.memory.delete(name);
    };
    if (this.memory.size >= maxKept) this.memory.clear();
    this.memory.set(name, kept);
    kept.value.then((found) => found ?? forget(), forget);
    return kept.value;
  }
}
