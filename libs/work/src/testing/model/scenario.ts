import fc from 'fast-check';
import type { Priority } from '../../queue/work-queue.js';
import type { Script } from '../scripted.work.js';

export interface PlannedItem {
  script: Script;
  /** Where it has none, it is enqueued once and cannot be cancelled. */
  hasKey: boolean;
  group: '' | 'slow';
  priority: Priority;
  delayMs: number;
  cancelAfterMs: number | null;
}

export interface PlannedPause {
  group: '' | 'slow';
  afterMs: number;
  forMs: number;
}

export interface Scenario {
  exclusive: boolean;
  items: PlannedItem[];
  pause: PlannedPause | null;
  /** When the items that may be enqueued again are, by somebody else. */
  againAfterMs: number[];
}

const milliseconds = (max: number) => fc.integer({ min: 0, max });

const script: fc.Arbitrary<Script> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Script>({ does: 'succeeds' }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('fails' as const),
      times: fc.integer({ min: 1, max: 3 }),
      throws: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('always fails' as const), throws: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant<Script>({ does: 'fails in company' }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('puts itself off' as const), delayMs: milliseconds(300) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('goes on' as const), steps: fc.integer({ min: 2, max: 6 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('is enqueued again' as const),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
);

const item: fc.Arbitrary<PlannedItem> = fc.record({
  script,
  hasKey: fc.boolean(),
  group: fc.constantFrom('' as const, 'slow' as const),
  priority: fc.constantFrom<Priority>('HIGH', 'NORMAL', 'LOW'),
  delayMs: fc.oneof(fc.constant(0), milliseconds(1_500)),
  cancelAfterMs: fc.option(milliseconds(1_500), { freq: 3 }),
});

export const scenario: fc.Arbitrary<Scenario> = fc.record({
  exclusive: fc.boolean(),
  items: fc.array(item, { minLength: 1, maxLength: 14 }),
  pause: fc.option(
    fc.record({
      group: fc.constantFrom('' as const, 'slow' as const),
      afterMs: milliseconds(800),
      forMs: fc.integer({ min: 300, max: 1_500 }),
    }),
  ),
  againAfterMs: fc.array(milliseconds(1_500), { maxLength: 3 }),
});
