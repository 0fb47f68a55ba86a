/** Polls until the value is there, for results that arrive through events. The error names what did not happen. */
export async function eventually<T>(
  probe: () => Promise<T | null | false | undefined>,
  what: string,
  timeoutMs = 25_000,
): Promise<T> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (performance.now() > until) throw new Error(`timeout after ${timeoutMs} ms: ${what}`);
    await new Promise((next) => setTimeout(next, 25));
  }
}
