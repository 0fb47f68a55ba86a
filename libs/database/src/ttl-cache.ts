const ttlMs = 1_000;
const maxEntries = 10_000;

interface Entry<Value> {
  value: Promise<Value>;
  readAt: number;
}

/** Caches values for a second; concurrent reads of a key share one. Null and failures are not cached. */
export class TtlCache<Value> {
  private readonly entries = new Map<string, Entry<Value>>();

  constructor(
    private readonly read: (...key: string[]) => Promise<Value>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  of(...key: string[]): Promise<Value> {
    return this.cached(...key) ?? this.refresh(...key);
  }

  cached(...key: string[]): Promise<Value> | null {
    const entry = this.entries.get(key.join(' '));
    return entry && this.now() - entry.readAt < ttlMs ? entry.value : null;
  }

  refresh(...key: string[]): Promise<Value> {
    const name = key.join(' ');
    const entry = { value: this.read(...key), readAt: this.now() };
    const forget = () => {
      if (this.entries.get(name) === entry) this.entries.delete(name);
    };
    if (this.entries.size >= maxEntries) this.entries.clear();
    this.entries.set(name, entry);
    entry.value.then((found) => found ?? forget(), forget);
    return entry.value;
  }
}
