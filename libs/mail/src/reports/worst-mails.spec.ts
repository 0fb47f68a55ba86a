import { expect, it } from '@jest/globals';
import { bounds, leastProcessorTimeOf } from '@posthorn/testing';
import { containsReturnPath } from '../tokens/return-path.js';
import { readMailReport } from './read-mail-report.js';
import { worstMails } from './testing/worst-mails.js';

it.each(Object.entries(worstMails))('1 MiB of %s is read within its bounds', async (_, raw) => {
  const { cpuMs } = await leastProcessorTimeOf(() => readMailReport(raw));
  expect(cpuMs).toBeLessThan(bounds.cpuMs);
});

it('1 MiB of return paths that are none is searched within its bounds', async () => {
  const address = `bounces+${'0'.repeat(32)}.${'0'.repeat(20)}@`;
  for (const unit of [address, 'bounces+', `bounces+${'0'.repeat(32)}`]) {
    const raw = Buffer.from(unit.repeat(Math.ceil((1024 * 1024) / unit.length)));
    const { heldMs } = await leastProcessorTimeOf(() => containsReturnPath(raw, ['a', 'b', 'c']));
    expect(heldMs).toBeLessThan(bounds.heldMs);
  }
});
