import { expect, it } from '@jest/globals';
import { bounds, leastProcessorTimeOf, worstText } from '@posthorn/testing';
import { CsvReader } from './csv-reader.js';

const pieceBytes = 64 * 1024;

function countRows(bytes: Buffer): number {
  const reader = new CsvReader({ delimiter: ',' });
  let rows = 0;
  for (let at = 0; at < bytes.length; at += pieceBytes)
    for (const _row of reader.push(bytes.subarray(at, at + pieceBytes))) rows += 1;
  for (const _row of reader.end()) rows += 1;
  return rows;
}

const units = ['\r', '\n', '\r\n', ',', '"', '""', '"a",', '"\r', '"\n', 'a"\n', ';\n', '"a\n,', 'é,'];

it.each(units.flatMap((unit) => ['', '"', 'email,x\n'].map((head) => [head, unit])))(
  '1 MiB of %j and then %j is read within its bounds',
  async (head, unit) => {
    const bytes = worstText(unit!, head);
    const { cpuMs } = await leastProcessorTimeOf(() => countRows(bytes));
    expect(cpuMs).toBeLessThan(bounds.cpuMs);
  },
);
