import { performance } from 'node:perf_hooks';
import { finding, type Finding } from './finding.js';
import type { Evidence } from './judge.js';
import { neverLeft, type CallRecord } from './ledger.js';

const promisedMs = 2_000;
/** What a busy machine of two cores takes on top; a slower one takes as long as for nearly all mail that it accepts in the same run. */
const busyMs = { least: 1_500, most: 4_000, quantile: 0.99 };
/** Sessions of a killed server end what they are at before they notice. */
const lastBreathMs = 500;
/** A gateway that was struck is back so long afterwards. */
const gatewayBackMs = 15_000;

/** What the clients were told, in good times and in bad ones. */
export function judgeAnswers(evidence: Evidence): Finding[] {
  const calls = evidence.sends.flatMap((send) => send.calls);
  return [answers(calls, evidence), unsubscribes(calls, evidence), outages(calls, evidence)];
}

function answers(calls: CallRecord[], { strikes: injections }: Evidence): Finding {
  const atGateways = injections.filter(({ fault }) => fault.endsWith(' gateway'));
  const excused = ({ beganAt, endedAt }: CallRecord) =>
    atGateways.some(({ from, to }) => endedAt >= from && beganAt <= to + gatewayBackMs);
  return finding(
    'G2 G17',
    'an answer that no rule allows, a 503 without Retry-After, or none from a gateway that nothing struck',
    calls.length,
    calls.map((call) => {
      const { place: index, status, error, body, retryAfter } = call;
      if (status === null) return excused(call) ? null : `send ${index} got no answer: ${error}`;
      if (status === 202 || status === 409) return null;
      if (status === 503 || status === 504)
        return retryAfter ? null : `send ${index}: ${status} without Retry-After`;
      return status === 500 && body?.includes('outcome is unknown')
        ? null
        : `send ${index} was answered ${status}: ${body}`;
    }),
  );
}

/** Whoever is refused a connection was never at the gateway, whenever its own clock says that it began. */
const wasCut = ({ status, error }: CallRecord): boolean => status === null && !neverLeft.has(error ?? '');

function unsubscribes(calls: CallRecord[], { goodbyes: text, badExits }: Evidence): Finding {
  const reset = text.flatMap(({ gateway, at }) =>
    calls.filter(
      (call) => call.gateway === gateway && wasCut(call) && call.beganAt < at && call.endedAt > at,
    ),
  );
  return finding(
    'G16',
    'a request cut off by SIGTERM, or a process that does not leave with 0',
    text.length,
    [...reset.map(({ place: index, error }) => `send ${index} was cut off: ${error}`), ...badExits],
  );
}

function outages(calls: CallRecord[], { outages: all, strikes: injections, stalls }: Evidence): Finding {
  const away = all.filter(({ server }) => server !== 'smtp');
  // A process that stands still answers nobody; that is looked at by the others.
  const frozen = injections.filter(({ fault }) => /^(stop|pause) (gateway|sending)$/.test(fault));
  const overlaps = (spans: readonly Span[], { beganAt, endedAt }: CallRecord) =>
    spans.some(({ from, to }) => endedAt > from && beganAt < to);
  const during = calls.filter(
    (call) =>
      away.some(({ from, to }) => call.beganAt > from && call.beganAt < to) && !overlaps(frozen, call),
  );
  const calm = calls.filter((call) => !overlaps(away, call) && !overlaps(injections, call));
  const timeoutMs = promisedMs + busyMsOf(calm);
  const tookMs = ({ beganAt, endedAt }: CallRecord) =>
    Math.round(endedAt - beganAt - stalledMs(stalls, { from: beganAt, to: endedAt }));
  const withoutServer = ({ status, beganAt, endedAt }: CallRecord) =>
    status === 202 &&
    away.some(({ from, returning }) => beganAt > from + lastBreathMs && endedAt < returning);
  return finding(
    'G17',
    `no answer within ${timeoutMs} ms while Postgres or NATS was away, or a false 202`,
    during.length,
    [
      ...during.map((call) =>
        tookMs(call) > timeoutMs ? `send ${call.place} took ${tookMs(call)} ms` : null,
      ),
      ...during.map((call) =>
        withoutServer(call) ? `send ${call.place} was accepted while a server was away` : null,
      ),
    ],
  );
}

function busyMsOf(calm: CallRecord[]): number {
  const accepted = calm.filter(({ status }) => status === 202);
  const durations = accepted.map(({ beganAt, endedAt }) => endedAt - beganAt).sort((a, b) => a - b);
  const taken = durations[Math.floor(durations.length * busyMs.quantile)] ?? 0;
  return Math.round(Math.min(busyMs.most, Math.max(busyMs.least, taken)));
}

/** In monotonic milliseconds of the run. */
export interface Span {
  from: number;
  to: number;
}

const beatMs = 50;
const leastMs = 250;

/** When this process itself stood still: a machine that stalls delays the clients that measure the answers as well. */
export class StallWatch {
  readonly stalls: Span[] = [];
  private lastBeat = performance.now();
  private readonly timer = setInterval(() => this.beat(), beatMs);

  stop(): void {
    clearInterval(this.timer);
  }

  private beat(): void {
    const now = performance.now();
    if (now - this.lastBeat >= leastMs) this.stalls.push({ from: this.lastBeat, to: now });
    this.lastBeat = now;
  }
}

/** How much of that time lies in the stalls. */
const stalledMs = (stalls: readonly Span[], { from, to }: Span): number =>
  stalls.reduce((sum, stall) => sum + Math.max(0, Math.min(to, stall.to) - Math.max(from, stall.from)), 0);
