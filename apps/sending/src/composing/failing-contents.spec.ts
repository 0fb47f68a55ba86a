import { describe, expect, it } from '@jest/globals';
import { FailingContents } from './failing-contents.js';

const message = (templateVersion: number, projectId = 'p') => ({
  projectId,
  contentId: 'c',
  templateId: 't',
  templateVersion,
});

describe('templates whose messages ended their threads', () => {
  it('are known after three messages, by project and version', () => {
    const failing = new FailingContents();
    failing.add(message(1));
    failing.add(message(1));
    expect(failing.isKnown(message(1))).toBe(false);
    failing.add(message(1));
    expect([message(1), message(2), message(1, 'q')].map((each) => failing.isKnown(each))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('are forgotten where one was composed', () => {
    const failing = new FailingContents();
    failing.add(message(1));
    failing.add(message(1));
    failing.clear(message(1));
    failing.add(message(1));
    expect(failing.isKnown(message(1))).toBe(false);
  });

  it('get another chance after ten minutes', () => {
    let now = 0;
    const failing = new FailingContents(() => now);
    for (let count = 0; count < 3; count += 1) failing.add(message(1));
    now = 10 * 60_000;
    expect(failing.isKnown(message(1))).toBe(false);
    failing.add(message(1));
    expect(failing.isKnown(message(1))).toBe(false);
  });

  it('are remembered within bounds', () => {
    const failing = new FailingContents();
    for (let version = 0; version < 1_001; version += 1)
      for (let count = 0; count < 3; count += 1) failing.add(message(version));
    expect([failing.isKnown(message(0)), failing.isKnown(message(1_000))]).toEqual([false, true]);
  });
});
