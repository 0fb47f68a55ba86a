import { expect, it } from '@jest/globals';
import { bounds, leastProcessorTimeOf, worstText } from '@posthorn/testing';
import { createEngine } from './liquid-engine.js';

const engine = createEngine('html');
const templates = ['{{ at | date: "%Y" }}', '{{ at | date_to_xmlschema }}', '{{ "now" | date: at }}'].map(
  (text) => engine.parse(text),
);

it.each(['1', '1 (', '(', ' ', '2026-11-28 ', 'Z', 'GMT+01:00', '%Y', '%', 'a'])(
  '1 MiB of %j as a date is rendered within its bounds',
  async (unit) => {
    for (const length of [128, 1024 * 1024]) {
      const at = worstText(unit, '', length).toString();
      for (const template of templates) {
        const { cpuMs } = await leastProcessorTimeOf(() => {
          try {
            engine.renderSync(template, { at });
          } catch {
            // A format that is refused counts as well.
          }
        });
        expect(cpuMs).toBeLessThan(bounds.cpuMs);
      }
    }
  },
);
