import { wanted, type Wanted } from '../recipients.js';
import type { Load } from './load.js';

/** One recipient, one subject, one body. */
export const plainLoad: Load = {
  keepsBytes: false,
  prepare: () => Promise.resolve(),
  wanted,
  bodyOf: ({ to, index }: Wanted) => ({
    to,
    subject: `number ${index}`,
    body: `<p>Message ${index}</p>`,
  }),
  afterwards: () => Promise.resolve(),
  judge: () => Promise.resolve([]),
};
