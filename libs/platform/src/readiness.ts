/** What keeps a service from being ready, for `/readyz`: while it starts, what it waits for. */
export class Readiness {
  private missing: string | null = 'starting';
  private checks: (() => Promise<string | null>)[] = [];

  waitsFor(what: string): void {
    this.missing = what;
  }

  /** From now on these decide, the first that misses something. */
  started(checks: (() => Promise<string | null>)[]): void {
    this.missing = null;
    this.checks = checks;
  }

  async look(): Promise<string | null> {
    if (this.missing !== null) return this.missing;
    for (const check of this.checks) {
      const missing = await check();
      if (missing !== null) return missing;
    }
    return null;
  }
}
