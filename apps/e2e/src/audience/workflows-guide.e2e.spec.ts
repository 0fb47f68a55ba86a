import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { withPosthorn } from '../testing/bad-input.js';
import { Terminal, walkGuide } from '../testing/guide.js';

describe('the guide to workflows', () => {
  const suite = withPosthorn();
  let terminal: Terminal;
  beforeAll(() => {
    // State of npm start is beside the directory in which the guide runs.
    terminal = new Terminal(dirname(suite.posthorn.dataDirectory));
  });
  afterAll(() => terminal.close());

  it('matches the actual output', () =>
    walkGuide('docs/guides/workflows.md', {
      does: {
        sh: (text) => terminal.run(text.replaceAll('.posthorn/', `${suite.posthorn.dataDirectory}/`)),
      },
    }));
});
