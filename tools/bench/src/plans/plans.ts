import { makeFixtures, untilEvaluated } from '../audience/fixture.js';
import type { Bench } from '../bench.js';
import { Product } from '../product.js';
import { callsOf } from './calls.js';
import { recordPlans } from './recorded-calls.js';

/** Every statement of the contacts service; fails where a request reads a whole table that is not meant to. */
export async function writePlans(bench: Bench): Promise<void> {
  const { servers, scale } = bench;
  const contacts = scale.audiences.at(-1)!;
  const product = await Product.start(servers);
  try {
    const { tracked } = await makeFixtures(servers, product, contacts);
    await recordPlans(bench, product, {
      services: ['contacts'],
      page: 'dist/audience-plans.md',
      head: {
        script: 'npm run plans:audience',
        title: 'Plans of the contacts service',
        text: `Every statement that the service asked while each of its routes was called, in a project of ${contacts} contacts with five fields each, ${contacts * 10} events,
two lists and twenty tracked segments, beside another of as many contacts. What follows of a call by itself, as entries and exits of segments, stands with it.`,
      },
      steps: async () =>
        (await callsOf(tracked)).map((call) => ({ call, settle: () => untilEvaluated(servers) })),
      api: tracked.api,
    });
  } finally {
    await product.stop();
  }
}
