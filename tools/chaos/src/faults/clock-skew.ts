/**
 * Loaded before a service: its wall clock is wrong by so many milliseconds, as on a machine without NTP (docs/guarantees.md G22).
 * The monotonic clock stays right, as it would there.
 */
const skewMs = Number(process.env['CHAOS_CLOCK_SKEW_MS'] ?? 0);

if (skewMs !== 0) {
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [RealDate.now() + skewMs] : given) as [number]));
    }

    static override now(): number {
      return RealDate.now() + skewMs;
    }
  } as DateConstructor;
}

export {};
