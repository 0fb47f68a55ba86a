import { describe, expect, it } from '@jest/globals';
import { EngagementLimits } from './engagement-limits.js';

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
    const limits = new EngagementLimits(50, () => 0);
    const flood = Array.from({ length: 80 }, (_, index) => location(String(index), 'flood'));
    expect(flood.filter((each) => limits.admit(each, 1))).toHaveLength(50);
    expect(limits.admit(location('a', 'victim'), 1)).toBe(true);
    limits.release(flood[0]!, 1);
    expect(limits.admit(location('next', 'flood'), 1)).toBe(true);
  });
});
