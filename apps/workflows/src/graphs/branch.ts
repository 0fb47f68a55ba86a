/** The branch that a transition is for; null where it always applies. Its form was checked when it was put. */
export function branchOf(condition: string | null): string | null {
  if (condition === null) return null;
  return (JSON.parse(condition) as { branch: string }).branch;
}

/** Whether it is `{"branch": "…"}` in JSON. */
export function isBranchText(condition: string): boolean {
  try {
    const read = JSON.parse(condition) as { branch?: unknown } | null;
    return (
      typeof read === 'object' &&
      read !== null &&
      typeof read.branch === 'string' &&
      read.branch.length <= 100
    );
  } catch {
    return false;
  }
}
