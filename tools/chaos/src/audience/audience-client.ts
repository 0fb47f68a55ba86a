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
const notYet = new Set([null, 429, 500, 502, 503, 504]);
const asForm = { 'content-type': 'application/x-www-form-urlencoded' };

/** Does deeds as an application would: it repeats what may be repeated until it is answered. */
export class AudienceClient {
  readonly published: Published = {
    ...{ fields: [], events: [], imports: [], memberships: [], gone: [], mails: [], strange: [] },
    ...{ recounts: new Map(), done: new Map() },
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
    return (await this.answered(0, 'POST', path, body)).id as string;
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
    if (kind === 'upsert') await this.answered(index, 'POST', '/api/v1/contacts/upsert', bodies[0]!);
    else await this.answered(index, 'POST', '/api/v1/contacts/bulk', { contacts: bodies });
    this.published.fields.push(...people.map(({ email }) => ({ email, field: markOf(index), place: index })));
  }

  private async track({ index, email, name, key }: Of<'track'>): Promise<void> {
    const body = { event: name, email, data: { [markOf(index)]: index } };
    if (key) await this.answered(index, 'POST', '/api/track', body, { 'idempotency-key': key });
    const once = key ? null : await this.call(index, 0, 'POST', '/api/track', JSON.stringify(body));
    const surely = !once || (once.status !== null && once.status < 300);
    this.published.events.push({ place: index, surely });
    if (surely) this.published.fields.push({ email, field: markOf(index), place: index });
  }

  /** Both tables at once; a list that goes is deleted while they are taken in. */
  private async import({ index, tables, listGoes }: Of<'imports'>): Promise<void> {
    const listId = await this.make('/api/v1/lists', { name: `Import ${index}` });
    await Promise.all(
      tables.map(async (table) => {
        const { id } = await this.answered(
          index,
          'POST',
          `/api/v1/contacts/imports?list_id=${listId}`,
          csvOf(table),
          {
            'content-type': 'text/csv',
          },
        );
        this.published.imports.push({ id: id as string, table, listId, listGoes });
      }),
    );
    if (listGoes) await this.answered(index, 'DELETE', `/api/v1/lists/${listId}`, '', {}, [404]);
  }

  private async subscribe(
    { index, email, double, leaves }: Of<'subscription'>,
    positions: Positions,
  ): Promise<void> {
    const listId = double ? positions.doubleList : positions.openList;
    const answer = await this.answered(index, 'POST', `/api/v1/lists/${listId}/subscribe`, { email });
    let status = answer.status as string;
    if (double) {
      const token = answer.confirm_token as string;
      // A try that nobody answered may have used the link.
      await this.answered(
        index,
        'POST',
        `/api/v1/lists/confirm-subscription?token=${token}`,
        '',
        asForm,
        [410],
      );
      status = 'CONFIRMED';
    }
    if (leaves) {
      await this.answered(index, 'POST', `/api/v1/lists/${listId}/unsubscribe`, { email });
      status = 'UNSUBSCRIBED';
    }
    this.published.memberships.push({ email, listId, status });
  }

  private async recount({ index, segment, condition }: Of<'recount'>, { moving }: Positions): Promise<void> {
    const id = moving[segment]!;
    await this.answered(index, 'PATCH', `/api/v1/segments/${id}`, { condition }, {}, [], () =>
      this.published.recounts.set(id, (this.published.recounts.get(id) ?? 0) + 1),
    );
  }

  private async mail({ index, to }: Of<'mail'>): Promise<void> {
    const body = { to, subject: `number ${index}`, body: `<p>Message ${index}</p>` };
    await this.answered(index, 'POST', '/api/v1/emails', body, { 'idempotency-key': `audience-${index}` });
    this.published.mails.push({ to });
  }

  private async erase({ index, email }: Of<'farewell'>, { openList }: Positions): Promise<void> {
    const body = { email, custom_fields: { plan: 'pro', score: 99 } };
    const { id } = await this.answered(index, 'POST', '/api/v1/contacts/upsert', body);
    await this.answered(
      index,
      'POST',
      '/api/track',
      { event: erasureEvent, email, data: { mail: email } },
      { 'idempotency-key': `audience-${index}` },
    );
    await this.answered(index, 'POST', `/api/v1/lists/${openList}/subscribe`, { email });
    // A try that nobody answered may have deleted it.
    await this.answered(index, 'DELETE', `/api/v1/contacts/${id as string}`, '', {}, [404]);
    this.published.gone.push({ email, id: id as string });
  }

  /** Tries again until it is done; what is refused for good is strange, unless it says that a try before was done. */
  private async answered(
    index: number,
    method: string,
    path: string,
    body: object | string,
    headers: Record<string, string> = {},
    doneBefore: readonly number[] = [],
    beforeTry: () => void = () => undefined,
  ): Promise<Record<string, unknown>> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    for (let tries = 0; tries < maxTries; tries += 1) {
      if (tries > 0) await delay(pauseMs);
      beforeTry();
      const { status, body: output } = await this.call(index, tries, method, path, text, headers);
      if (notYet.has(status) || status === 409) continue;
      if (status! < 300) return dataOf(output!);
      if (tries > 0 && doneBefore.includes(status!)) return {};
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
    writeSync(
      this.book,
      `${JSON.stringify({ place: index, tries, gateway, method, path, status, error, said: received.body?.slice(0, 600) })}\n`,
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
