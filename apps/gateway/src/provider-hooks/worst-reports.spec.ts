import { expect, it } from '@jest/globals';
import { bounds, leastProcessorTimeOf, worstText } from '@posthorn/testing';
import { parseValue } from '../wire/bodies/parse-body.js';
import { codesIn, emailIdOf, instantOf, locate, recipientOf, textOf } from './hook-values.js';
import { sesEvents } from './ses/ses-hook.js';

async function expectWithinBounds(work: () => unknown): Promise<void> {
  const { cpuMs, heldMs } = await leastProcessorTimeOf(() => {
    try {
      work();
    } catch {
      // A report that is refused counts as well.
    }
  });
  expect(cpuMs).toBeLessThan(bounds.cpuMs);
  expect(heldMs).toBeLessThan(bounds.heldMs);
}

it.each(['[', '{"a":', '{"a":1,', '[{},', '"', '"\\', '"a",', '1', '-', 'é', '\\ud800', ' '])(
  '1 MiB of %j as the body of a report is read within its bounds',
  async (unit) => {
    for (const head of ['', '{"a":"', '[']) await expectWithinBounds(() => parseValue(worstText(unit, head)));
  },
);

it.each([
  'a',
  ' ',
  '<',
  'a@',
  'a@b ',
  '0123456789abcdef-',
  '4.7.0 ',
  '550 ',
  '550-',
  '; ',
  '1970-01-01',
  '1 (',
])('1 MiB of %j as a member of a report is read within its bounds', async (unit) => {
  const value = worstText(unit).toString();
  await expectWithinBounds(() => [
    ...[codesIn(value), codesIn(undefined, { status: value }), emailIdOf(value), instantOf(value)],
    ...[locate({ returnPath: value, messageIds: [value] }, ['secret']), recipientOf(value), textOf(value)],
  ]);
});

it('a report about as many recipients as 1 MiB has room for is read within its bounds', async () => {
  const headers = Array.from({ length: 10_000 }, () => ({ name: 'Message-ID', value: '<a@b>' }));
  const bouncedRecipients = Array.from({ length: 10_000 }, () => ({ emailAddress: 'a@b.example' }));
  const mail = { source: 'a@b', headers };
  await expectWithinBounds(() =>
    sesEvents({ mail, eventType: 'Bounce', bounce: { bouncedRecipients } }, 'id', ['secret']),
  );
});
