import { closeSync, openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { GatewayCalls, Received } from '../gateway-calls.js';
import { Random } from '../random.js';
import { csvOf, erasureEvent, markOf, type Action, type OperationKind, type Table } from './operations.js';

/** What was answered for good, and what nobody can know. */
export interface Published {
  /** Fields of contacts that must be there: address and name of the field. */
  fields: { email: string; field: string; place: number }[];
  /** Events by the place of their deed. */
  events: { place: number; surely: boolean }[];
  imports: { id: string; table: Table; listId: string | null; listGoes: boolean }[];
  /** The status in which a membership must have ended. */
  memberships: { email: string; listId: string; status: string }[];
  gone: { email: string; id: string }[];
  mails: { to: string }[];
  /** How often a change of each segment was asked for, repeats included. */
  recounts: Map<string, number>;
  done: Map<OperationKind, number>;
  strange: string[];
}

export interface Positions {
  openList: string;
  doubleList: string;
  /** Those whose conditions change. */
  moving: readonly string[];
}

type Of<K extends OperationKind> = Extract<Action, { kind: K }>;

const pauseMs = 250;
const maxTries = 480;
const notYet = new Set([null, 409, 429, 500, 502, 503, 504]);
const asForm = { 'content-type': 'application/x-www-form-urlencoded' };

interface More {
  headers?: Record<string, string>;
  /** The status that says so where a try before was done. */
  doneBefore?: number;
  beforeTry?: () => unknown;
}

/** Does deeds as an application would: it repeats what may be repeated until it is answered. */
export class AudienceClient {
  readonly published: Published = {
    fields: [],
    events: [],
    imports: [],
    memberships: [],
    gone: [],
    mails: [],
    strange: [],
    recounts: new Map(),
    done: new Map(),
  };
  private readonly book: number;

  constructor(
    private readonly calls: GatewayCalls,
    private readonly seed: number,
    book: string,
  ) {
    this.book = openSync(book, 'w');
  }

  close(): void {
    this.calls.close();
    closeSync(this.book);
  }

  async make(path: string, body: object): Promise<string> {
    return (await this.post(0, path, body)).id as string;
  }

  async do(action: Action, positions: Positions): Promise<void> {
    try {
      await this.doAs(action, positions);
      this.published.done.set(action.kind, (this.published.done.get(action.kind) ?? 0) + 1);
    } catch (error) {
      this.published.strange.push(`${action.kind} ${action.index}: ${(error as Error).message}`);
    }
  }

  private doAs(action: Action, positions: Positions): Promise<void> {
    switch (action.kind) {
      case 'upsert':
      case 'bulk':
        return this.write(action);
      case 'track':
        return this.track(action);
      case 'imports':
        return this.import(action);
      case 'subscription':
        return this.subscribe(action, positions);
      case 'recount':
        return this.recount(action, positions);
      case 'mail':
        return this.mail(action);
      case 'farewell':
        return this.erase(action, positions);
    }
  }

  private async write({ kind, index, people }: Of<'upsert' | 'bulk'>): Promise<void> {
    const bodies = people.map(({ email, fields }) => ({ email, custom_fields: fields }));
    await this.post(index, `/api/v1/contacts/${kind}`, kind === 'upsert' ? bodies[0]! : { contacts: bodies });
    this.published.fields.push(...people.map(({ email }) => ({ email, field: markOf(index), place: index })));
  }

  private async track({ index, email, name, key }: Of<'track'>): Promise<void> {
    const body = { event: name, email, data: { [markOf(index)]: index } };
    if (key) await this.post(index, '/api/track', body, { headers: { 'idempotency-key': key } });
    const once = key ? null : await this.call(index, 0, 'POST', '/api/track', JSON.stringify(body));
    const surely = !once || (once.status !== null && once.status < 300);
    this.published.events.push({ place: index, surely });
    if (surely) this.published.fields.push({ email, field: markOf(index), place: index });
  }

  /** Both tables at once; a list that goes is deleted while they are taken in. */
  private async import({ index, tables, listGoes }: Of<'imports'>): Promise<void> {
    const listId = await this.make('/api/v1/lists', { name: `Import ${index}` });
    const path = `/api/v1/contacts/imports?list_id=${listId}`;
    await Promise.all(
      tables.map(async (table) => {
        const headers = { 'content-type': 'text/csv' };
        const { id } = await this.post(index, path, csvOf(table), { headers });
        this.published.imports.push({ id: id as string, table, listId, listGoes });
      }),
    );
    if (listGoes) await this.remove(index, `/api/v1/lists/${listId}`);
  }

  private async subscribe(
    { index, email, double, leaves }: Of<'subscription'>,
    positions: Positions,
  ): Promise<void> {
    const listId = double ? positions.doubleList : positions.openList;
    const answer = await this.post(index, `/api/v1/lists/${listId}/subscribe`, { email });
    let status = answer.status as string;
    if (double) {
      const path = `/api/v1/lists/confirm-subscription?token=${answer.confirm_token as string}`;
      // A try that nobody answered may have used the link.
      await this.post(index, path, '', { headers: asForm, doneBefore: 410 });
      status = 'CONFIRMED';
    }
    if (leaves) {
      await this.post(index, `/api/v1/lists/${listId}/unsubscribe`, { email });
      status = 'UNSUBSCRIBED';
    }
    this.published.memberships.push({ email, listId, status });
  }

  private async recount({ index, segment, condition }: Of<'recount'>, { moving }: Positions): Promise<void> {
    const id = moving[segment]!;
    const { recounts } = this.published;
    const beforeTry = () => recounts.set(id, (recounts.get(id) ?? 0) + 1);
    await this.answered(index, 'PATCH', `/api/v1/segments/${id}`, { condition }, { beforeTry });
  }

  private async mail({ index, to }: Of<'mail'>): Promise<void> {
    const body = { to, subject: `number ${index}`, body: `<p>Message ${index}</p>` };
    const headers = { 'idempotency-key': `audience-${index}` };
    await this.post(index, '/api/v1/emails', body, { headers });
    this.published.mails.push({ to });
  }

  private async erase({ index, email }: Of<'farewell'>, { openList }: Positions): Promise<void> {
    const body = { email, custom_fields: { plan: 'pro', score: 99 } };
    const { id } = await this.post(index, '/api/v1/contacts/upsert', body);
    const event = { event: erasureEvent, email, data: { mail: email } };
    const headers = { 'idempotency-key': `audience-${index}` };
    await this.post(index, '/api/track', event, { headers });
    await this.post(index, `/api/v1/lists/${openList}/subscribe`, { email });
    await this.remove(index, `/api/v1/contacts/${id as string}`);
    this.published.gone.push({ email, id: id as string });
  }

  private post(index: number, path: string, body: object | string, more: More = {}) {
    return this.answered(index, 'POST', path, body, more);
  }

  /** A try that nobody answered may have deleted it. */
  private remove(index: number, path: string) {
    return this.answered(index, 'DELETE', path, '', { doneBefore: 404 });
  }

  /** Tries again until it is done; what is refused for good is strange, unless it says that a try before was done. */
  private async answered(
    index: number,
    method: string,
    path: string,
    body: object | string,
    { headers = {}, doneBefore, beforeTry }: More,
  ): Promise<Record<string, unknown>> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    for (let tries = 0; tries < maxTries; tries += 1) {
      if (tries > 0) await delay(pauseMs);
      beforeTry?.();
      const { status, body: output } = await this.call(index, tries, method, path, text, headers);
      if (notYet.has(status)) continue;
      if (status! < 300) return dataOf(output!);
      if (tries > 0 && status === doneBefore) return {};
      throw new Error(`${method} ${path} was answered ${status}: ${output?.slice(0, 600)}`);
    }
    throw new Error(`${method} ${path} was not answered in ${maxTries} tries`);
  }

  private async call(
    index: number,
    tries: number,
    method: string,
    path: string,
    body: string,
    headers: Record<string, string> = {},
  ): Promise<Received> {
    const gateway = Random.named(`${this.seed} ${index} ${tries}`).whole(0, this.calls.gateways.length - 1);
    const received = await this.calls.request(gateway, method, path, body, headers);
    const { status, error } = received;
    const said = received.body?.slice(0, 600);
    writeSync(
      this.book,
      `${JSON.stringify({ place: index, tries, gateway, method, path, status, error, said })}\n`,
    );
    return received;
  }
}

/** The body, without the envelope that the other surface puts around it. */
function dataOf(text: string): Record<string, unknown> {
  if (!text.startsWith('{')) return {};
  const body = JSON.parse(text) as Record<string, unknown>;
  return (body['success'] === true ? body['data'] : body) as Record<string, unknown>;
}
