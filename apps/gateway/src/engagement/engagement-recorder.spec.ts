import { describe, expect, it } from '@jest/globals';
import { EngagementLimits } from './engagement-recorder.js';

const location = (emailId: string, projectId = 'p') => ({ projectId, emailId, position: 0 });
const admitted = (limits: EngagementLimits, times: number, at: ReturnType<typeof location>) =>
  Array.from({ length: times }, () => limits.admit(at, 1)).filter(Boolean).length;

describe('the limits of opens and clicks', () => {
  it('allow a hundred of one message in ten seconds, whatever others do', () => {
    let now = 0;
    const limits = new EngagementLimits(1_000_000, () => now);
    expect(admitted(limits, 1_000, location('one'))).toBe(100);
    expect(admitted(limits, 10, location('other'))).toBe(10);
    now = 9_999;
    expect(limits.admit(location('one'), 1)).toBe(false);
    now = 10_000;
    expect(limits.admit(location('one'), 1)).toBe(true);
  });

  it('leave room for other projects', () => {
    const limits = new EngagementLimits(100, () => 0);
    const floodOf = (project: string) =>
      Array.from({ length: 120 }, (_, index) => location(`${project} ${index}`, project)).filter((each) =>
        limits.admit(each, 1),
      );
    const flood = floodOf('one');
    expect([flood.length, floodOf('two').length, floodOf('three').length]).toEqual([50, 25, 12]);
    expect(limits.admit(location('a', 'victim'), 1)).toBe(true);
    for (const each of flood) limits.release(each, 1);
    expect(limits.admit(location('next', 'one'), 1)).toBe(true);
  });
});
