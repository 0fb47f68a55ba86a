import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { withPosthorn } from './bad-input.js';
import { Terminal, walkGuide } from './guide.js';

/** The test of a guide whose commands all run in a shell, beside a product of its own. */
export function testShellGuide(name: string, { inboundPort }: { inboundPort?: number } = {}): void {
  describe(`the guide to ${name}`, () => {
    const suite = withPosthorn(inboundPort === undefined ? {} : { INBOUND_PORT: String(inboundPort) });
    let terminal: Terminal;
    beforeAll(() => {
      // State of npm start is beside the directory in which the guide runs.
      terminal = new Terminal(dirname(suite.posthorn.dataDirectory));
    });
    afterAll(() => terminal.close());

    it('matches the actual output', () =>
      walkGuide(`docs/guides/${name}.md`, {
        does: {
          sh: (text) =>
            terminal.run(
              text
                .replaceAll('.posthorn/', `${suite.posthorn.dataDirectory}/`)
                .replaceAll('localhost:2525', `localhost:${inboundPort}`),
            ),
        },
      }));
  });
}
