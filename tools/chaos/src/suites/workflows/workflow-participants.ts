import { Random } from '../../random.js';

/**
 * What a contact does while its execution waits: it answers after its first mail, or never, or it has answered before the execution began, which
 * does not count.
 */
const kinds = [
  { name: 'answering', share: 45 },
  { name: 'silent', share: 40 },
  { name: 'hasty', share: 15 },
] as const;

export interface Participant {
  email: string;
  kind: (typeof kinds)[number]['name'];
  /** It passes the second half of the graph twice. */
  loops: boolean;
}

const loopingShare = 0.2;

/** In an order drawn by the seed. */
export function participantsOf(count: number, seed: number): Participant[] {
  const random = new Random(seed);
  const total = kinds.reduce((sum, { share }) => sum + share, 0);
  const [first, ...others] = kinds;
  const special = others.flatMap(({ name, share }) =>
    Array.from({ length: Math.round((count * share) / total) }, () => name),
  );
  const rest = Array.from({ length: count - special.length }, () => first.name);
  return random.shuffled([...special, ...rest]).map((kind, number) => ({
    ...{ kind, email: `ok+${kind}-${number}@sink.test`, loops: random.chance(loopingShare) },
  }));
}

/** Of its contact; conditions of the graph read them, and its steps change them. */
export const fieldsOf = ({ kind, loops }: Participant): Record<string, boolean> => ({
  ...{ answers: kind === 'answering', again: loops },
});

/** What the fields are when everything is done. */
export const endFieldsOf = ({ kind }: Participant): Record<string, boolean> => ({
  ...{ answers: kind === 'answering', again: false, reached: true },
});
