import { describe, expect, it } from '@jest/globals';
import { SlowContents } from './slow-contents.js';

const message = (templateVersion: number, projectId = 'p') => ({
  projectId,
  contentId: 'c',
  templateId: 't',
  templateVersion,
});

describe('templates that ran out of time', () => {
  it('are known after three messages, by project and version', () => {
    const slow = new SlowContents();
    slow.add(message(1));
    slow.add(message(1));
    expect(slow.isKnown(message(1))).toBe(false);
    slow.add(message(1));
    expect([message(1), message(2), message(1, 'q')].map((each) => slow.isKnown(each))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('are forgotten where one was rendered in time', () => {
    const slow = new SlowContents();
    slow.add(message(1));
    slow.add(message(1));
    slow.clear(message(1));
    slow.add(message(1));
    expect(slow.isKnown(message(1))).toBe(false);
  });

  it('get another chance after ten minutes', () => {
    let now = 0;
    const slow = new SlowContents(() => now);
    for (let count = 0; count < 3; count += 1) slow.add(message(1));
    now = 10 * 60_000;
    expect(slow.isKnown(message(1))).toBe(false);
    slow.add(message(1));
    expect(slow.isKnown(message(1))).toBe(false);
  });

  it('are remembered within bounds', () => {
    const slow = new SlowContents();
    for (let version = 0; version < 1_001; version += 1)
      for (let count = 0; count < 3; count += 1) slow.add(message(version));
    expect([slow.isKnown(message(0)), slow.isKnown(message(1_000))]).toEqual([false, true]);
  });
});
