import { Injectable } from '@nestjs/common';
import { type EraseAddress, storableJson, eraseIn, type ErasedAddress } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import {
  addressesIn,
  anyOf,
  withoutAddresses,
  EventErasure,
  Handles,
  type Incoming,
} from '@posthorn/messaging';
import { WorkflowCounts } from '../counts/workflow-counts.repository.js';
import { ExecutionEnds } from '../executions/execution-store.js';
import { GraphsRepository, type GraphPart } from '../graphs/graphs.repository.js';
import {
  ErasedExecutions,
  ErasedCallsRepository,
  searchedTables,
  type FoundTexts,
} from './erasures.repository.js';

const atOnce = 1_000;

/** Ends the executions of a deleted contact and removes what they hold of the person; history keeps which steps were taken. */
@Injectable()
export class ExecutionErasure {
  constructor(
    private readonly database: Database,
    private readonly executions: ErasedExecutions,
    private readonly ends: ExecutionEnds,
    private readonly counts: WorkflowCounts,
  ) {}

  /** A bounded step; returns whether nothing is left. */
  async erase(projectId: string, { contactId, email }: EraseAddress): Promise<boolean> {
    const running = await this.executions.running(projectId, contactId);
    await this.ends.end(projectId, running, { status: 'CANCELLED', reason: 'The contact was deleted' });
    await this.database.transaction(() => this.forgetEvents(projectId, contactId));
    await this.database.transaction(() => this.rewriteVersions(projectId, email));
    if (await this.database.transaction(() => this.executions.empty(projectId, contactId, atOnce)))
      return false;
    return !(await this.executions.areStarting(projectId, contactId));
  }

  private async forgetEvents(projectId: string, contactId: string): Promise<void> {
    await this.executions.forgetEvents(projectId, contactId);
    await this.counts.add(projectId, await this.executions.forgetStarts(projectId, contactId));
  }

  private async rewriteVersions(projectId: string, email: string): Promise<void> {
    const addresses = addressesIn([email]);
    const graphs = await this.executions.lockVersions(projectId, anyOf([email]));
    const rewritten = graphs.map((graph) => ({
      ...graph,
      document: withoutAddresses(graph.document, addresses),
    }));
    if (rewritten.length > 0) await this.executions.rewriteVersions(projectId, rewritten);
  }
}

interface Progress {
  table: number;
  after: string[] | null;
}

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

const parts: readonly GraphPart[] = ['steps', 'transitions'];

@Injectable()
export class ErasuresService {
  constructor(
    private readonly database: Database,
    private readonly graphs: GraphsRepository,
    private readonly webhooks: WebhookErasure,
    private readonly executions: ExecutionErasure,
    private readonly events: EventErasure,
  ) {}

  @Handles(eraseIn.workflows)
  async erase({ caller: { projectId }, body: person }: Incoming<EraseAddress>): Promise<ErasedAddress> {
    const [pattern, addresses] = [anyOf([person.email]), addressesIn([person.email])];
    for (const part of parts)
      await this.database.transaction(async () => {
        const containing = await this.graphs.lockContaining(part, projectId, pattern);
        const rewritten = containing.map((row) => ({
          ...row,
          document: withoutAddresses(row.document, addresses),
        }));
        if (rewritten.length > 0) await this.graphs.rewrite(part, projectId, rewritten);
      });
    const noExecutions = await this.executions.erase(projectId, person);
    const noCalls = await this.webhooks.erase(projectId, person);
    return { done: noExecutions && noCalls && (await this.events.erase({ ...person, projectId })) };
  }
}
