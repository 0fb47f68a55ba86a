import { expect, it } from '@jest/globals';
import { bounds, leastProcessorTimeOf, worstText } from '@posthorn/testing';
import { previewOf } from './import-preview.js';

const units = ['\r', '\n', '\r\n', ',', ';', '\t', '"', '""', '"a",', 'a@b.c,', 'a b,', 'Ä,', '"a\n,', '"\r'];

it.each(units.flatMap((unit) => ['', 'email,x\n', '"'].map((head) => [head, unit])))(
  'the layout of 1 MiB of %j and then %j is read within its bounds',
  async (head, unit) => {
    const bytes = worstText(unit!, head).toString('base64');
    const { cpuMs, heldMs } = await leastProcessorTimeOf(() => {
      try {
        previewOf({ bytes, last: true, encoding: 'utf-8' });
      } catch {
        // A table that is refused counts as well.
      }
    });
    expect(cpuMs).toBeLessThan(bounds.cpuMs);
    expect(heldMs).toBeLessThan(bounds.heldMs);
  },
);
