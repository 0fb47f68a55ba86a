import type { Evidence } from './evidence.js';
import { finding, type Finding } from './finding.js';
import { neverLeft, type CallRecord } from './ledger.js';

/** An answer within two seconds is promised; the rest is what a busy machine of two cores takes. */
const patienceMs = 3_500;
/** Sessions of a killed server end what they are at before they notice. */
const lastBreathMs = 500;
/** A gateway that was struck is back so long afterwards. */
const gatewayBackMs = 15_000;

/** What the clients were told, in good times and in bad ones. */
export function judgeAnswers(evidence: Evidence): Finding[] {
  const calls = evidence.sends.flatMap((send) => send.calls);
  return [answers(calls, evidence), goodbyes(calls, evidence), outages(calls, evidence)];
}

function answers(calls: CallRecord[], { strikes }: Evidence): Finding {
  const atGateways = strikes.filter(({ weapon }) => weapon.endsWith(' gateway'));
  const excused = ({ beganAt, endedAt }: CallRecord) => atGateways.some(({ from, to }) => endedAt >= from && beganAt <= to + gatewayBackMs);
  return finding(
    'G2 G17',
    'an answer that no rule allows, a 503 without Retry-After, or none from a gateway that nothing struck',
    calls.length,
    calls.map((call) => {
      const { place, status, error, body, retryAfter } = call;
      if (status === null) return excused(call) ? null : `send ${place} got no answer: ${error}`;
      if (status === 202 || status === 409) return null;
      if (status === 503 || status === 504) return retryAfter ? null : `send ${place}: ${status} without Retry-After`;
      return status === 500 && body?.includes('outcome unknown') ? null : `send ${place} was answered ${status}: ${body}`;
    }),
  );
}

/** Whoever is refused a connection was never at the gateway, whenever its own clock says that it began. */
const wasCut = ({ status, error }: CallRecord): boolean => status === null && !neverLeft.has(error ?? '');

function goodbyes(calls: CallRecord[], { goodbyes: said, badExits }: Evidence): Finding {
  const reset = said.flatMap(({ gateway, at }) =>
    calls.filter((call) => call.gateway === gateway && wasCut(call) && call.beganAt < at && call.endedAt > at),
  );
  return finding('G16', 'a request cut off by SIGTERM, or a process that does not leave with 0', said.length, [
    ...reset.map(({ place, error }) => `send ${place} was cut off: ${error}`),
    ...badExits,
  ]);
}

function outages(calls: CallRecord[], { outages: all, strikes }: Evidence): Finding {
  const away = all.filter(({ server }) => server !== 'smtp');
  // A process that stands still answers nobody; that is looked at by the others.
  const frozen = strikes.filter(({ weapon }) => /^(stop|pause) (gateway|sending)$/.test(weapon));
  const during = calls.filter(
    ({ beganAt, endedAt }) =>
      away.some(({ from, to }) => beganAt > from && beganAt < to) && !frozen.some(({ from, to }) => endedAt > from && beganAt < to),
  );
  const withoutServer = ({ status, beganAt, endedAt }: CallRecord) =>
    status === 202 && away.some(({ from, returning }) => beganAt > from + lastBreathMs && endedAt < returning);
  return finding('G17', `no answer within ${patienceMs} ms while Postgres or NATS was away, or a false 202`, during.length, [
    ...during.map(({ place, beganAt, endedAt }) =>
      endedAt - beganAt > patienceMs ? `send ${place} took ${Math.round(endedAt - beganAt)} ms` : null,
    ),
    ...during.map((call) => (withoutServer(call) ? `send ${call.place} was accepted while a server was away` : null)),
  ]);
}
