// Which suites begin first: the `testSequencer` of jest.config.mjs.
import { basename } from 'node:path';
import Sequencer from '@jest/test-sequencer';

const Base = Sequencer.default ?? Sequencer;

/** Suites of half a minute and more. Where Jest does not know every duration, it begins with the largest files, and some of these are small: the last one would run on alone. */
const long = [
  'route-walk.e2e.spec.ts',
  'services.e2e.spec.ts',
  'segments-by-time.e2e.spec.ts',
  'outages.e2e.spec.ts',
  'bad-starts.e2e.spec.ts',
  'examples.e2e.spec.ts',
  'callers-walk.db.spec.ts',
  'engine-model.db.spec.ts',
  'work-model.db.spec.ts',
  'clients.e2e.spec.ts',
  'repair.db.spec.ts',
  'killed-workers.db.spec.ts',
  'image.db.spec.ts',
  'embedded-servers.e2e.spec.ts',
  'other-servers.e2e.spec.ts',
  'audience-guide.e2e.spec.ts',
  'launches.db.spec.ts',
  'mail-limits.db.spec.ts',
  'campaign-sending.e2e.spec.ts',
  'partition-locks.db.spec.ts',
  'campaigns-guide.e2e.spec.ts',
  'lists.e2e.spec.ts',
  'crash.e2e.spec.ts',
];

class LongFirst extends Base {
  async sort(tests) {
    const sorted = [...(await super.sort(tests))];
    if (sorted.every(({ duration }) => duration)) return sorted;
    const rank = ({ path }) => long.indexOf(basename(path)) + 1 || long.length + 1;
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

export { LongFirst as default };
