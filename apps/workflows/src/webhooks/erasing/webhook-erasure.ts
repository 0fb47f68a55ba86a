import { Injectable } from '@nestjs/common';
import { storableJson, type EraseAddress } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { addressesIn, anyOf, withoutAddresses } from '@posthorn/messaging';
import { ErasedCallsRepository, searchedTables, type FoundTexts } from './erased-calls.repository.js';

interface Progress {
  table: number;
  after: string[] | null;
}

const atOnce = 1_000;
const searchedAtOnce = 5_000;
/** Bounds the memory; the search for a person who is dropped begins again. */
const maxErasures = 10_000;

/** Removes what calls say about a person: the data of those about the contact, and the address wherever else it stands. */
@Injectable()
export class WebhookErasure {
  private readonly progress = new Map<string, Progress>();

  constructor(
    private readonly database: Database,
    private readonly calls: ErasedCallsRepository,
  ) {}

  /** A bounded step; returns whether everything is done. */
  async erase(projectId: string, person: EraseAddress): Promise<boolean> {
    const isMore = await this.database.transaction(async () => {
      await this.calls.bury(projectId, person.contactId);
      return this.calls.eraseOf(projectId, person.contactId, atOnce);
    });
    return !isMore && this.searchOn(projectId, person);
  }

  private async searchOn(projectId: string, { erasureId, email }: EraseAddress): Promise<boolean> {
    const { table: index, after } = this.progress.get(erasureId) ?? { table: 0, after: null };
    const table = searchedTables[index]!;
    const [pattern, addresses] = [anyOf([email]), addressesIn([email])];
    const last = await this.database.transaction(async () => {
      const next = await this.calls.lockNextContaining(table, projectId, pattern, {
        after,
        limit: searchedAtOnce,
      });
      const rewritten = next?.found.map((row) => withoutThem(row, addresses)) ?? [];
      if (rewritten.length > 0) await this.calls.rewrite(table, projectId, rewritten);
      return next?.last;
    });
    return this.goOn(erasureId, last ? { table: index, after: last } : { table: index + 1, after: null });
  }

  private goOn(erasureId: string, next: Progress): boolean {
    if (next.table === searchedTables.length) return this.progress.delete(erasureId) || true;
    this.progress.set(erasureId, next);
    if (this.progress.size > maxErasures) this.progress.delete(this.progress.keys().next().value!);
    return false;
  }
}

const withoutThem = ({ key, texts }: FoundTexts, addresses: RegExp): FoundTexts => ({
  key,
  texts: texts.map((text) => (text === null ? null : withoutAddress(text, addresses))),
});

/** In JSON more is left out than the address: the subject of a message to it, for instance. */
function withoutAddress(text: string, addresses: RegExp): string {
  const document = storableJson(text);
  return document ? JSON.stringify(withoutAddresses(document, addresses)) : withoutAddresses(text, addresses);
}
