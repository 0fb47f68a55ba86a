import { createKyselyAdapter, kyselyAdapter } from '@better-auth/kysely-adapter';
import type { Database, QueryRunner } from '@posthorn/database';
import type { BetterAuthOptions } from 'better-auth';
import { forGrants, type Request, type Condition, type Method, type Row } from '../../oauth/grant-store.js';
import { hashOfToken } from '../../identity/tokens.js';

type Store = ReturnType<ReturnType<typeof kyselyAdapter>>;

const requesting = [
  'create',
  'findOne',
  'findMany',
  'count',
  'update',
  'updateMany',
  'delete',
  'deleteMany',
  'consumeOne',
  'incrementOne',
] as const;

/** Stores session tokens as hashes, and ends all sessions and grants in the transaction that sets a new password. */
export async function openPeopleStore(
  database: Database,
  endGrants: EndGrants,
): Promise<(options: BetterAuthOptions) => Store> {
  const pool = new ServicePool(database) as unknown as BetterAuthOptions['database'];
  const { kysely } = await createKyselyAdapter({ database: pool });
  return (options) => guarded(kyselyAdapter(kysely!, { type: 'postgres' })(options), database, endGrants);
}

function guarded(store: Store, database: Database, endGrants: EndGrants): Store {
  const plain = store as unknown as Record<(typeof requesting)[number], Method>;
  const endAccess = async (userId: unknown) => {
    await plain.deleteMany({ model: 'session', where: [{ field: 'userId', value: userId }] });
    await endGrants(String(userId));
  };
  const methods = requesting.map((name): [string, Method] => {
    const method: Method = (request) => plain[name](request);
    const common: Method = (request) =>
      bearsPassword(request) ? endingAccess(request, method, database, endAccess) : hashing(request, method);
    return [name, forGrants(name, common)];
  });
  const wrapped: Store = {
    ...store,
    ...(Object.fromEntries(methods) as object),
    transaction: (work) => database.transaction(() => work(wrapped)),
  };
  return wrapped;
}

type EndGrants = (userId: string) => Promise<void>;

const bearsPassword = ({ model, update }: Request): boolean =>
  model === 'account' && update?.['password'] !== undefined;

function endingAccess(
  request: Request,
  method: Method,
  database: Database,
  end: (userId: unknown) => Promise<unknown>,
): Promise<unknown> {
  return database.transaction(async () => {
    const answer = await method(request);
    await end(
      request.where?.find(({ field }) => field === 'userId')?.value ?? (answer as Row | null)?.['userId'],
    );
    return answer;
  });
}

async function hashing(request: Request, method: Method): Promise<unknown> {
  if (request.model !== 'session') return method(request);
  const given = [
    ...(request.where ?? []).flatMap(({ field, value }) => (field === 'token' ? value : [])),
    request.data?.['token'],
  ];
  const tokens = new Map(
    given.flatMap((token) => (typeof token === 'string' ? [[hashOfToken(token), token] as const] : [])),
  );
  const answer = await method({
    ...request,
    ...(request.where ? { where: request.where.map((condition) => hashedCondition(condition)) } : {}),
    ...(request.data ? { data: hashedRow(request.data) } : {}),
  });
  return Array.isArray(answer) ? answer.map((row: Row) => restored(row, tokens)) : restored(answer, tokens);
}

const hashed = (value: unknown): unknown => (typeof value === 'string' ? hashOfToken(value) : value);
const hashedRow = (row: Row): Row =>
  row['token'] === undefined ? row : { ...row, token: hashed(row['token']) };

function hashedCondition(condition: Condition): Condition {
  if (condition.field !== 'token') return condition;
  return {
    ...condition,
    value: Array.isArray(condition.value) ? condition.value.map(hashed) : hashed(condition.value),
  };
}

/** Callers who supplied a token get it back; others get the hash. */
function restored(answer: unknown, tokens: ReadonlyMap<string, string>): unknown {
  const token = (answer as Row | null)?.['token'];
  return typeof token === 'string' ? { ...(answer as Row), token: tokens.get(token) ?? token } : answer;
}

interface Answered {
  command: string;
  rowCount: number | null;
  rows: unknown[];
}

interface Client {
  query(sql: string, parameters: readonly unknown[]): Promise<Answered>;
}

/** Gives the library's query builder the service's connections, so that its statements join the ambient transaction. */
class ServicePool {
  constructor(private readonly database: Database) {}

  async connect(): Promise<Client & { release(): void }> {
    const ambient = this.database.manager.queryRunner;
    const runner: QueryRunner = ambient ?? this.database.source.createQueryRunner();
    const client = (await runner.connect()) as Client;
    return {
      query: (sql, parameters) => client.query(sql, parameters),
      release: () => void (ambient ? undefined : runner.release()),
    };
  }

  /** The service closes its connections itself. */
  async end(): Promise<void> {
    await Promise.resolve();
  }
}
