// Which suites begin first: the `testSequencer` of jest.config.mjs.
import { basename } from 'node:path';
import Sequencer from '@jest/test-sequencer';
import { longSuites } from './long-suites.mjs';

const Base = Sequencer.default ?? Sequencer;

class LongFirst extends Base {
  async sort(tests) {
    const sorted = [...(await super.sort(tests))];
    if (sorted.every(({ duration }) => duration)) return sorted;
    // It would begin with the largest files, and some of these are small: the last one would run on alone.
    const rank = ({ path }) => longSuites.indexOf(basename(path)) + 1 || longSuites.length + 1;
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

export { LongFirst as default };
