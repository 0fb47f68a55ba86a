import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DatabaseClock } from '@posthorn/database';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { Pace } from './pace.js';

const perSecond = 50;

describe('the pace of a provider', () => {
  let suite: SendingSuite;
  beforeAll(async () => {
    suite = await startSendingSuite();
  });
  afterAll(() => suite.stop());

  const paceOf = (provider: string) => new Pace(suite.database, new DatabaseClock(suite.database), { provider, perSecond });

  it('gives slots out evenly, whoever asks', async () => {
    const [here, there] = [paceOf('shared'), paceOf('shared')];
    const slots: number[] = [];
    for (const pace of [here, there, here]) {
      const [statement] = pace.take(4);
      slots.push(...(pace.slotsOf(await suite.database.prepared(statement!), 4) as number[]));
    }
    const steps = slots.slice(1).map((slot, place) => slot - slots[place]!);
    for (const step of steps) expect(step).toBeGreaterThan(1_000 / perSecond);
  });

  it('takes new slots for those that a process slept through, so that they do not leave together', async () => {
    const pace = paceOf('sleeper');
    const slept = (await new DatabaseClock(suite.database).now()).getTime() - 700;
    const left: number[] = [];
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        await pace.until(slept);
        left.push(performance.now());
      }),
    );
    const took = Math.max(...left) - Math.min(...left);
    expect(took).toBeGreaterThan((9 * 1_000) / perSecond - 50);
  });

  it('is no statement where nothing limits', () => {
    const free = new Pace(suite.database, new DatabaseClock(suite.database), { provider: 'free', perSecond: 0 });
    expect([free.take(3), free.slotsOf(undefined, 2)]).toEqual([[], [null, null]]);
  });
});
