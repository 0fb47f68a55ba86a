/** Contacts and segments, each once, and which of them go together, by their places from one on. */
export interface Pairs {
  contacts: string[];
  segments: string[];
  /** As arrays in Postgres's own words. */
  contactIndexes: string;
  segmentIndexes: string;
}

/** A contact is in many segments and a segment has many contacts: numbers are half the work of ids, for both sides. */
export function pairsOf(changed: readonly { contactId: string; segmentId: string }[]): Pairs {
  const [contacts, segments] = [new Positions(), new Positions()];
  const positions = changed.map(
    ({ contactId, segmentId }) => [contacts.of(contactId), segments.of(segmentId)] as const,
  );
  return {
    contacts: contacts.ids,
    segments: segments.ids,
    contactIndexes: `{${positions.map(([contact]) => contact).join()}}`,
    segmentIndexes: `{${positions.map(([, segment]) => segment).join()}}`,
  };
}

class Positions {
  private readonly known = new Map<string, number>();

  of(id: string): number {
    let location = this.known.get(id);
    if (location === undefined) this.known.set(id, (location = this.known.size + 1));
    return location;
  }

  get ids(): string[] {
    return [...this.known.keys()];
  }
}
