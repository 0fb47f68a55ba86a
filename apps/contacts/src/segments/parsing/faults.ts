import { invalid, type FailureCode, type InvalidMember } from '@posthorn/contracts';

export class Faults {
  private readonly found: InvalidMember[] = [];

  /** A stored condition may be longer than the limits of the API. */
  readonly isStored: boolean;

  constructor(
    private readonly root: readonly string[],
    { isStored = false } = {},
  ) {
    this.isStored = isStored;
  }

  add(path: readonly string[], code: FailureCode, message: string): null {
    this.found.push({ path: [...this.root, ...path], code, message });
    return null;
  }

  refuse(): void {
    if (this.found.length > 0) throw invalid(this.found);
  }
}

export type Members = Record<string, unknown>;

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function refuseUnknown(
  members: Members,
  known: readonly string[],
  path: readonly string[],
  faults: Faults,
): void {
  for (const name of Object.keys(members).filter((each) => !known.includes(each))) {
    faults.add([...path, name], 'unknown_field', `is not a known field: use ${known.join(', ')}`);
  }
}
