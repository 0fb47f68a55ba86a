/** Contacts and segments, each once, and which of them go together, by their places from one on. */
export interface Pairs {
  contacts: string[];
  segments: string[];
  /** As arrays in Postgres's own words. */
  contactPlaces: string;
  segmentPlaces: string;
}

/** A contact is in many segments and a segment has many contacts: numbers are half the work of ids, for both sides. */
export function pairsOf(changed: readonly { contactId: string; segmentId: string }[]): Pairs {
  const [contacts, segments] = [new Places(), new Places()];
  const places = changed.map(({ contactId, segmentId }) => [contacts.of(contactId), segments.of(segmentId)] as const);
  return {
    contacts: contacts.ids,
    segments: segments.ids,
    contactPlaces: `{${places.map(([contact]) => contact).join()}}`,
    segmentPlaces: `{${places.map(([, segment]) => segment).join()}}`,
  };
}

class Places {
  private readonly known = new Map<string, number>();

  of(id: string): number {
    let place = this.known.get(id);
    if (place === undefined) this.known.set(id, (place = this.known.size + 1));
    return place;
  }

  get ids(): string[] {
    return [...this.known.keys()];
  }
}
