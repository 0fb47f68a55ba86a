import type { Goodbye } from '../process-group.js';
import type { EmailRow, History, Totals, Unfinished } from './records.js';
import type { Outage } from '../fixture.js';
import type { InjectedFault } from '../faults/fault-injector.js';
import type { SendRecord } from './ledger.js';
import type { SinkBytes, SinkLine } from './sink-ledger.js';
import type { Span } from './stall-watch.js';
import type { WorkLeft } from './work-books.js';

/** Everything that the judge looks at, after the run. */
export interface Evidence {
  sends: readonly SendRecord[];
  sink: readonly SinkLine[];
  /** What came, to the byte; empty where the load does not look at it. */
  bytes: readonly SinkBytes[];
  emails: readonly EmailRow[];
  events: readonly History[];
  contacts: readonly string[];
  totals: Totals;
  unfinished: Unfinished;
  deadLetters: readonly string[];
  work: WorkLeft;
  /** By e-mail: how many faults found it in hand-off. */
  doubted: ReadonlyMap<string, number>;
  strikes: readonly InjectedFault[];
  outages: readonly Outage[];
  /** When the process that measures the answers stood still itself. */
  stalls: readonly Span[];
  goodbyes: readonly Goodbye[];
  badExits: readonly string[];
  ratePerSecond: number;
}
