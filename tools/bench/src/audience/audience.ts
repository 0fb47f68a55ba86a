import type { Bench } from '../bench.js';
import { Product } from '../product.js';
import type { Row } from '../report.js';
import { makeFixtures } from './fixture.js';
import { measureImports } from './imports.js';
import { measurePages, measurePreviews } from './reads.js';
import { measureWrites } from './writes.js';

/** A figure of one size of the audience. */
export interface Figure extends Row {
  /** More is better; else less. */
  rate: boolean;
  /** Grows with the contacts by its nature: what is compared is its part for one of them. */
  perContact?: boolean;
}

interface Measured {
  contacts: number;
  figures: Figure[];
}

const maxGrowth = 1.5;

/** Contacts, events, lists and segments at every size of the scale, on one server; what they grow by from the first to the last. */
export async function benchAudience(bench: Bench): Promise<void> {
  await Product.during(bench.servers, { DELIVERY_PAUSED: 'true' }, async (product) => {
    const all: Measured[] = [];
    for (const contacts of bench.scale.audiences)
      all.push({ contacts, figures: await measure(bench, product, contacts) });
    for (const { contacts, figures } of all) bench.rows.push(...rowsOf(contacts, figures));
    if (all.length > 1) bench.rows.push(...growthOf(all[0]!, all.at(-1)!));
  });
}

/** Reads come first, of rows that nobody writes. */
async function measure(bench: Bench, product: Product, contacts: number): Promise<Figure[]> {
  const { servers, scale } = bench;
  const began = performance.now();
  const fixtures = await makeFixtures(servers, product, contacts);
  console.log(`${contacts} contacts are there after ${Math.round((performance.now() - began) / 1_000)} s`);
  return [
    ...(await measurePages(scale.requests, fixtures.tracked)),
    ...(await measurePreviews(scale.previews, fixtures.tracked)),
    ...(await measureWrites(bench, fixtures)),
    ...(await measureImports(servers, product, contacts)),
  ];
}

const rowsOf = (contacts: number, figures: Figure[]): Row[] =>
  figures.map(({ rate: _, perContact: __, name, ...row }) => ({
    ...row,
    name: `${name}, ${contacts} contacts`,
  }));

/** By how much each figure became worse from the small audience to the large one. */
const growthOf = (from: Measured, to: Measured): Row[] =>
  to.figures.map(({ name, product, rate, perContact }, index) => {
    const small = from.figures[index]!.product;
    const times = rate ? small / product : product / small;
    return {
      name: `growth from ${from.contacts} to ${to.contacts}: ${name}`,
      product: perContact ? (times * from.contacts) / to.contacts : times,
      ceiling: maxGrowth,
    };
  });
