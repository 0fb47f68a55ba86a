import { waitMs, type Bench } from './bench.js';
import { loadAll, type Requested } from './load.js';

export type Requests = () => Requested;

export interface Side {
  urls: string[];
  requests: Requests;
  before?: () => Promise<void>;
}

export const warmSeconds = 3;
const turnsInRound = 4;

/** The sides take short turns, each first as often as the others, so that they share the machine's moods; the middle of each. */
export async function takingTurns({ scale }: Bench, connections: number, sides: Side[]): Promise<number[]> {
  const rates: number[][] = sides.map(() => []);
  for (const { urls, requests } of sides) await loadAll(urls, connections, warmSeconds, requests);
  for (let turn = 0; turn < scale.rounds * turnsInRound; turn += 1) {
    const order = [...sides.entries()];
    for (const [index, { urls, requests, before }] of turn % 2 ? order.reverse() : order) {
      await before?.();
      rates[index]!.push(
        (await measured(urls, connections, scale.seconds / turnsInRound, requests)).perSecond,
      );
    }
  }
  return rates.map(waitMs);
}

export async function measured(
  urls: string[],
  connections: number,
  seconds: number,
  requests: Requests,
): Promise<{ perSecond: number; accepted: number }> {
  const { failed, ...result } = await loadAll(urls, connections, seconds, requests);
  if (failed > 0) throw new Error(`${failed} of ${result.accepted + failed} requests failed`);
  return result;
}
