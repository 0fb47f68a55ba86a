import { describe, expect, it } from '@jest/globals';
import { HandOffSignals } from './hand-off-signals.js';

function signalsAt(connections = 16) {
  const clock = { ms: 1_000 };
  const signals = new HandOffSignals(connections, () => clock.ms);
  const handOver = (perSecond: number, seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      for (let count = 0; count < perSecond; count += 1) signals.countHandOff();
      clock.ms += 1_000;
    }
  };
  return { clock, signals, handOver };
}

describe('The capacity of a process', () => {
  it('is one message a second for each connection until more is known', () => {
    const { signals, handOver } = signalsAt(16);
    expect(signals.capacity).toBe(16);
    handOver(3, 60);
    expect(signals.capacity).toBe(16);
  });

  it('is the most that it handed over within the last ten minutes', () => {
    const { clock, signals, handOver } = signalsAt(16);
    handOver(200, 30);
    handOver(40, 300);
    expect(signals.capacity).toBe(200);
    handOver(40, 300);
    expect(signals.capacity).toBe(40);
    clock.ms += 3_600_000;
    expect(signals.capacity).toBe(16);
  });
});

describe('A limit', () => {
  it('counts as reached for a minute after it held something back', () => {
    const { clock, signals } = signalsAt();
    expect(signals.isLimitedBy('pace')).toBe(false);
    signals.limitedBy('pace');
    expect([signals.isLimitedBy('pace'), signals.isLimitedBy('allowance')]).toEqual([true, false]);
    clock.ms += 59_999;
    expect(signals.isLimitedBy('pace')).toBe(true);
    clock.ms += 1;
    expect(signals.isLimitedBy('pace')).toBe(false);
  });
});
