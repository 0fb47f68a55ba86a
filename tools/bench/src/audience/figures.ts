import type { Row } from '../report.js';

/** A figure of one size of the ground. */
export interface Figure extends Row {
  /** More is better; else less. */
  rate: boolean;
  /** Grows with the contacts by its nature: what is compared is its part for one of them. */
  perContact?: boolean;
  /** A promise of its own at every size (60 s), and none of the figures that are compared with smaller ones. */
  promise?: true;
}

const maxGrowth = 1.5;

export function rowsOf(contacts: number, figures: Figure[]): Row[] {
  return figures.map(({ rate: _, perContact: __, promise: ___, name, ...row }) => ({
    ...row,
    name: `${name}, ${contacts} contacts`,
  }));
}

/** Of times that were measured twice, some minutes apart: what one side says of a moment in which the machine had other work is nobody's time. */
export function quieter(once: Figure[], again: Figure[]): Figure[] {
  return once.map((figure, index) => {
    const other = again[index]!;
    return {
      ...figure,
      product: Math.min(figure.product, other.product),
      reference: Math.min(figure.reference!, other.reference!),
    };
  });
}

/** By how much each figure became worse from the small ground to the large one. */
export function growthOf(
  from: { contacts: number; figures: Figure[] },
  to: { contacts: number; figures: Figure[] },
): Row[] {
  return to.figures
    .filter(({ promise }) => !promise)
    .map(({ name, product, rate, perContact }) => {
      const small = from.figures.find((figure) => figure.name === name)!.product;
      const times = rate ? small / product : product / small;
      const growth = perContact ? (times * from.contacts) / to.contacts : times;
      return {
        name: `growth from ${from.contacts} to ${to.contacts}: ${name}`,
        product: growth,
        ceiling: maxGrowth,
      };
    });
}
