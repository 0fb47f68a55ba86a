import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { Pace, waitForSlot } from './pace.js';

const perSecond = 50;

describe('the rate limit of a provider', () => {
  let suite: SendingSuite;
  beforeAll(async () => {
    suite = await startSendingSuite();
  });
  afterAll(() => suite.stop());

  const take = async (pace: Pace, count: number) => {
    const { sql, parameters } = pace.reservation(`SELECT ${count}`, 1)!;
    const [row] = await suite.database.query<{ first_slot_ms: number }>(sql, parameters);
    return row?.first_slot_ms ?? null;
  };

  it('spaces slots evenly across processes', async () => {
    const spans: number[] = [];
    // A late answer moves its slots: five rounds without one say what is usual.
    for (let round = 1; round <= 50 && spans.length < 5; round += 1) {
      const limit = { providerKind: `round ${round}`, perSecond };
      const [here, there] = [new Pace(limit), new Pace(limit)];
      const slots: number[] = [];
      for (const pace of [here, there, here]) {
        slots.push(...(pace.slots(await take(pace, 4), 4) as number[]));
      }
      const isInOrder = slots.every((slot, index) => index === 0 || slot > slots[index - 1]!);
      if (isInOrder) spans.push(slots.at(-1)! - slots[0]!);
    }
    expect(spans.toSorted((a, b) => a - b)[2]).toBeGreaterThan((11 * 1_000) / perSecond);
  });

  it('detects a missed slot, and keeps the others', async () => {
    const round = async () => {
      const now = performance.now();
      const published = await Promise.all([waitForSlot(now - 700), waitForSlot(now), waitForSlot(now + 40)]);
      expect(performance.now()).toBeGreaterThanOrEqual(now + 40);
      return published;
    };
    // A busy machine sleeps through one itself, but not every time.
    let reported = await round();
    for (let tries = 1; tries < 20 && reported.includes(false, 1); tries += 1) reported = await round();
    expect(reported).toEqual([false, true, true]);
  });

  it('misses no slot because of a slow answer', async () => {
    const pace = new Pace({ providerKind: 'slow', perSecond });
    const round = async () => {
      const wait = await take(pace, 3);
      await new Promise((resolve) => setTimeout(resolve, 60));
      const slots = pace.slots(wait, 3) as number[];
      return Promise.all(slots.map((slot) => waitForSlot(slot)));
    };
    let reported = await round();
    for (let tries = 1; tries < 20 && reported.includes(false); tries += 1) reported = await round();
    expect(reported).toEqual([true, true, true]);
  });

  it('reserves nothing where nothing leaves', async () => {
    expect(await take(new Pace({ providerKind: 'unused', perSecond }), 0)).toBeNull();
    expect(await suite.database.query(`SELECT 1 FROM pace WHERE provider = 'unused'`)).toEqual([]);
  });

  it('needs no statement where there is no limit', () => {
    const free = new Pace({ providerKind: 'free', perSecond: 0 });
    expect([free.reservation('SELECT 3', 1), free.slots(null, 2)]).toEqual([null, [null, null]]);
  });
});
