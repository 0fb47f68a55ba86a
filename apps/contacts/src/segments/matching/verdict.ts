/** Whether something matches, and the first instant (in ms) at which time alone may change that; null for never. */
export interface Verdict {
  matches: boolean;
  until: number | null;
}

export const always = (matches: boolean): Verdict => ({ matches, until: null });
export const never = always(false);

export const until = (end: number, now: Date): Verdict =>
  now.getTime() < end ? { matches: true, until: end } : never;

export const from = (begin: number, now: Date): Verdict =>
  now.getTime() < begin ? { matches: false, until: begin } : always(true);

export function allOf(parts: readonly Verdict[]): Verdict {
  return joined(parts, true);
}

export function anyOf(parts: readonly Verdict[]): Verdict {
  return joined(parts, false);
}

/** While any part decides alone (a false in AND, a true in OR), the result lasts as long as the last of them; otherwise until the first change of any part. */
function joined(parts: readonly Verdict[], neutral: boolean): Verdict {
  const deciding = parts.filter(({ matches }) => matches !== neutral);
  const ends = (deciding.length > 0 ? deciding : parts).map(({ until: end }) => end ?? Infinity);
  const end = deciding.length > 0 ? Math.max(...ends) : Math.min(...ends);
  return { matches: deciding.length > 0 ? !neutral : neutral, until: end === Infinity ? null : end };
}
