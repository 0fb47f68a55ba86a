import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';

export const root = fileURLToPath(new URL('../../../../', import.meta.url));

export const readDeployed = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The text with one change; one that changes nothing would prove nothing. */
export function changed(text: string, from: string, to: string): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}
