import { Logger } from '@nestjs/common';
import { runInContext } from '@posthorn/telemetry';

/** A server that is supervised is back earlier. */
const announceAfterMs = 3_000;
const maxTexts = 100;

export const outageLogContext = 'Outage';

const outages = new Map<string, Outage>();

export const isAnyServerAway = (): boolean => outages.size > 0;

export const isExplainedByOutage = (line: string): boolean =>
  [...outages.values()].some((outage) => outage.explains(line));

/** A request that was refused because a server is away: the end of the outage says how many there were. */
export function countRefused(): void {
  for (const outage of outages.values()) outage.refused += 1;
}

export function beginOutage(server: string, service: { name: string }, reason: string): Outage {
  const outage = outages.get(server) ?? new Outage(server);
  outages.set(server, outage);
  outage.beginFor(service, reason);
  return outage;
}

export function endOutage(server: string, service: { name: string }): void {
  if (outages.get(server)?.endFor(service)) outages.delete(server);
}

/** The services of a process share the line that says so, and the line that says that it is over. */
export class Outage {
  refused = 0;
  private readonly log = new Logger(outageLogContext);
  private readonly waiting = new Set<{ name: string }>();
  private readonly affected = new Set<string>();
  private readonly texts = new Set<string>();
  private readonly began = performance.now();
  private readonly timer = setTimeout(() => this.announce(), announceAfterMs).unref();
  private reason = '';
  private isAnnounced = false;

  constructor(private readonly server: string) {}

  beginFor(service: { name: string }, reason: string): void {
    this.waiting.add(service);
    this.affected.add(service.name);
    this.reason = reason;
    this.explain(reason);
  }

  /** Returns whether it is over for every service. */
  endFor(service: { name: string }): boolean {
    if (!this.waiting.delete(service) || this.waiting.size > 0) return false;
    clearTimeout(this.timer);
    const seconds = ((performance.now() - this.began) / 1_000).toFixed(1);
    const refused = this.refused > 0 ? `; ${this.refused} requests were refused meanwhile` : '';
    // The request that noticed it has no part in it.
    runInContext(undefined, () => {
      if (this.isAnnounced) this.log.log(`${this.server} answers again after ${seconds} s${refused}`);
      else
        this.log[this.refused > 0 ? 'log' : 'debug'](
          `${this.server} did not answer for ${seconds} s: ${this.reason}${refused}`,
        );
    });
    return true;
  }

  explain(text: string): void {
    if (text !== '' && this.texts.size < maxTexts) this.texts.add(text);
  }

  explains(line: string): boolean {
    return [...this.texts].some((text) => line.includes(text));
  }

  private announce(): void {
    this.isAnnounced = true;
    const names = [...this.affected].sort().join(', ');
    const line = `${this.server} does not answer: ${this.reason}; waiting for it: ${names}`;
    runInContext(undefined, () => this.log.warn(line));
  }
}

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
