interface InsertListener {
  statement: RegExp;
  notify: () => void;
}

/** Found by the text of the statements: a writer cannot forget to notify. */
export class InsertListeners {
  private readonly listeners = new Set<InsertListener>();

  add(tables: readonly string[], notify: () => void): () => void {
    const listener = { statement: new RegExp(`\\bINSERT INTO (?:${tables.join('|')})\\b`), notify };
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  collect(sql: string, inserted: Set<() => void>): void {
    for (const { statement, notify } of this.listeners)
      if (!inserted.has(notify) && statement.test(sql)) inserted.add(notify);
  }

  notify(sql: string): void {
    for (const { statement, notify } of this.listeners) if (statement.test(sql)) notify();
  }
}
