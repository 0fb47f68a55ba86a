import { wanted, type Wanted } from '../recipients.js';
import type { Load } from './load.js';

/** One recipient, one subject, one body. */
export const plainLoad: Load = {
  keepsBytes: false,
  prepare: () => Promise.resolve(),
  wanted,
  bodyOf: ({ to, place }: Wanted) => ({ to, subject: `number ${place}`, body: `<p>Message ${place}</p>` }),
  afterwards: () => Promise.resolve(),
  judge: () => Promise.resolve([]),
};
