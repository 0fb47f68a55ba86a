import { invalid, type FailureCode, type InvalidMember } from '@posthorn/contracts';

/** Everything that is wrong with a condition, each with its place; a caller can fix everything at once. */
export class Faults {
  private readonly found: InvalidMember[] = [];

  /** Whether what is read was taken before, when it was as short as it has to be. */
  readonly ofStored: boolean;

  constructor(
    private readonly root: readonly string[],
    { ofStored = false } = {},
  ) {
    this.ofStored = ofStored;
  }

  add(location: readonly string[], code: FailureCode, message: string): null {
    this.found.push({ path: [...this.root, ...location], code, message });
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

/** Members that the language does not know are refused, as everywhere in a body. */
export function refuseUnknown(
  members: Members,
  known: readonly string[],
  location: readonly string[],
  faults: Faults,
): void {
  for (const name of Object.keys(members).filter((each) => !known.includes(each))) {
    faults.add([...location, name], 'unknown_field', `is not a known field: use ${known.join(', ')}`);
  }
}
