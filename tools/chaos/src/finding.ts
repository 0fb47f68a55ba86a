/** One property of guarantees.md §2, and what broke it. */
export interface Finding {
  property: string;
  looksFor: string;
  /** How much was looked at. */
  looked: number;
  broken: string[];
}

export const finding = (property: string, looksFor: string, looked: number, broken: (string | null)[]): Finding => ({
  property,
  looksFor,
  looked,
  broken: broken.filter((each) => each !== null),
});
