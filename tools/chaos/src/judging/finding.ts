/** One property of docs/guarantees.md §2, and what broke it. */
export interface Finding {
  property: string;
  looksFor: string;
  /** How much was looked at. */
  looked: number;
  broken: string[];
}

export const finding = (
  property: string,
  searches: string,
  checked: number,
  broken: (string | null)[],
): Finding => ({
  property,
  looksFor: searches,
  looked: checked,
  broken: broken.filter((each) => each !== null),
});
