import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chooseQuietPort } from '@posthorn/dev';
import { withPosthorn } from '../testing/bad-input.js';
import { Terminal, walkGuide } from '../testing/guide.js';

describe('the guide to webhooks', () => {
  const suite = withPosthorn();
  let terminal: Terminal;
  let port: number;
  beforeAll(async () => {
    port = await chooseQuietPort();
    // State of npm start is beside the directory in which the guide runs.
    terminal = new Terminal(dirname(suite.posthorn.dataDirectory));
  });
  afterAll(() => terminal.close());

  it('matches the actual output, and shows the receiver as it is', () =>
    walkGuide('docs/guides/webhooks.md', {
      does: {
        sh: (text) =>
          terminal.run(
            text
              .replaceAll('.posthorn/', `${suite.posthorn.dataDirectory}/`)
              .replace('realpath docs/guides', `realpath ${resolve('docs/guides')}`)
              .replace('PORT=9117', `PORT=${port}`),
          ),
        js: async (text) => {
          expect(text).toBe(readFileSync('docs/guides/receiver.mjs', 'utf8'));
          return '';
        },
      },
    }));
});
