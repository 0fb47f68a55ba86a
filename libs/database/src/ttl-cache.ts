const freshMs = 1_000;
const maxEntries = 10_000;

interface Entry<Value> {
  value: Promise<Value>;
  readAt: number;
}

/** What is read again and again is read once a second; those who ask at the same time wait for one answer. What was not there is not kept. */
export class TtlCache<Value> {
  private readonly memory = new Map<string, Entry<Value>>();

  constructor(
    private readonly read: (...key: string[]) => Promise<Value>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  of(...key: string[]): Promise<Value> {
    return this.stored(...key) ?? this.again(...key);
  }

  /** What is remembered and not too old. */
  stored(...key: string[]): Promise<Value> | null {
    const known = this.memory.get(key.join(' '));
    return known && this.now() - known.readAt < freshMs ? known.value : null;
  }

  /** Read now, whatever is remembered. */
  again(...key: string[]): Promise<Value> {
    const name = key.join(' ');
    const stored = { value: this.read(...key), readAt: this.now() };
    const forget = () => {
      if (this.memory.get(name) === stored) this.memory.delete(name);
    };
    if (this.memory.size >= maxEntries) this.memory.clear();
    this.memory.set(name, stored);
    stored.value.then((found) => found ?? forget(), forget);
    return stored.value;
  }
}
