/** Distinct contacts and segments, and their pairs by index from 1. */
export interface Pairs {
  contacts: string[];
  segments: string[];
  contactIndexes: string;
  segmentIndexes: string;
}

/** Each id occurs in many pairs: indexes are half the work of ids, for both sides. */
export function pairsOf(changed: readonly { contactId: string; segmentId: string }[]): Pairs {
  const [contacts, segments] = [new Indexes(), new Indexes()];
  const pairs = changed.map(
    ({ contactId, segmentId }) => [contacts.of(contactId), segments.of(segmentId)] as const,
  );
  return {
    contacts: contacts.ids,
    segments: segments.ids,
    contactIndexes: `{${pairs.map(([contact]) => contact).join()}}`,
    segmentIndexes: `{${pairs.map(([, segment]) => segment).join()}}`,
  };
}

class Indexes {
  private readonly known = new Map<string, number>();

  of(id: string): number {
    let index = this.known.get(id);
    if (index === undefined) this.known.set(id, (index = this.known.size + 1));
    return index;
  }

  get ids(): string[] {
    return [...this.known.keys()];
  }
}
