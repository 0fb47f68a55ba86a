import type { Bench } from '../bench.js';
import { Product } from '../product.js';
import { agreeOnAudience } from './agreement.js';
import { growthOf, quieter, rowsOf, type Figure } from './figures.js';
import { makeFixtures } from './fixture.js';
import { measureImports } from './imports.js';
import { measurePages, measurePreviews } from './reads.js';
import { Reference } from './reference.js';
import { measureWrites } from './writes.js';

interface Measured {
  contacts: number;
  figures: Figure[];
}

/** Contacts, events, lists and segments at every size of the scale, on one server; what they grow by from the first to the last. */
export async function benchAudience(bench: Bench): Promise<void> {
  const product = await Product.start(bench.servers, { DELIVERY_PAUSED: 'true' });
  try {
    const all: Measured[] = [];
    for (const contacts of bench.scale.audiences)
      all.push({ contacts, figures: await measure(bench, product, contacts) });
    for (const { contacts, figures } of all) bench.rows.push(...rowsOf(contacts, figures));
    if (all.length > 1) bench.rows.push(...growthOf(all[0]!, all.at(-1)!));
  } finally {
    await product.stop();
  }
}

/** Reads come first: they are compared with the rows as they were made. */
async function measure(bench: Bench, product: Product, contacts: number): Promise<Figure[]> {
  const { servers, scale } = bench;
  const began = performance.now();
  const fixtures = await makeFixtures(servers, product, contacts);
  const reference = await Reference.start(servers, contacts);
  console.log(`${contacts} contacts are there after ${Math.round((performance.now() - began) / 1_000)} s`);
  try {
    const pages = await measurePages(scale.requests, fixtures.tracked, reference);
    const previews = await measurePreviews(scale.previews, fixtures.tracked, reference);
    const figures = [
      ...quieter(pages, await measurePages(scale.requests, fixtures.tracked, reference)),
      ...previews,
      ...(await measureWrites(bench, fixtures, reference)),
      ...(await measureImports(servers, product, contacts)),
    ];
    await agreeOnAudience(servers, fixtures.tracked);
    return figures;
  } finally {
    await reference.stop();
  }
}
