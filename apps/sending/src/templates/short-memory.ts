const freshMs = 1_000;
const maxKept = 10_000;

/** What is read again and again is read once a second; those who ask at the same time wait for one answer. What was not there is not kept. */
export class ShortMemory<Value> {
  private readonly kept = new Map<string, { value: Promise<Value | null>; readAt: number }>();

  constructor(private readonly read: (projectId: string, name: string) => Promise<Value | null>) {}

  of(projectId: string, name: string): Promise<Value | null> {
    const key = `${projectId} ${name}`;
    const known = this.kept.get(key);
    if (known && performance.now() - known.readAt < freshMs) return known.value;
    const value = this.read(projectId, name);
    if (this.kept.size >= maxKept) this.kept.clear();
    this.kept.set(key, { value, readAt: performance.now() });
    void value.then(
      (found) => found ?? this.kept.delete(key),
      () => this.kept.delete(key),
    );
    return value;
  }
}
