import { createKyselyAdapter, kyselyAdapter } from '@better-auth/kysely-adapter';
import type { Database } from '@posthorn/database';
import type { BetterAuthOptions } from 'better-auth';
import { hashOfToken } from '../identity/token-hash.js';
import { chosenProject } from '../oauth/chosen-project.js';
import { ServicePool } from './service-pool.js';

type Store = ReturnType<ReturnType<typeof kyselyAdapter>>;
type Row = Record<string, unknown>;

interface Condition {
  field: string;
  value: unknown;
}

/** What the library asks of its store, whichever method. */
interface Ask {
  model: string;
  where?: Condition[];
  data?: Row;
  update?: Row;
}

type Method = (ask: Ask) => Promise<unknown>;

const asking = [
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

/**
 * The library's tables, written by the library through the service's connections. On the way a session's token becomes its
 * hash and back, and a new password ends every session and everything granted in the transaction that stores it.
 */
export async function openPeopleStore(database: Database): Promise<(options: BetterAuthOptions) => Store> {
  const pool = new ServicePool(database) as unknown as BetterAuthOptions['database'];
  const { kysely } = await createKyselyAdapter({ database: pool });
  return (options) => guarded(kyselyAdapter(kysely!, { type: 'postgres' })(options), database);
}

function guarded(store: Store, database: Database): Store {
  const plain = store as unknown as Record<(typeof asking)[number], Method>;
  const endAccess = async (userId: unknown) => {
    for (const model of accesses) await plain.deleteMany({ model, where: [{ field: 'userId', value: userId }] });
  };
  const methods = asking.map((name): [string, Method] => {
    const method: Method = (ask) => plain[name](outliving(ask));
    const usual: Method = (ask) => (bearsPassword(ask) ? endingAccess(ask, method, database, endAccess) : hashing(ask, method));
    return [name, name === 'findOne' ? (ask) => (isUngranted(ask) ? Promise.resolve(null) : usual(ask)) : usual];
  });
  const wrapped: Store = {
    ...store,
    ...(Object.fromEntries(methods) as object),
    transaction: (work) => database.transaction(() => work(wrapped)),
  };
  return wrapped;
}

/** What a new password ends. */
const accesses = ['session', 'oauthConsent'];

/** A person grants for one project, which they choose each time: until they have, they have granted nothing. */
const isUngranted = ({ model }: Ask): boolean => model === 'oauthConsent' && chosenProject() === undefined;

/** What is granted goes on when the session in which it was has ended. */
const outliving = (ask: Ask): Ask =>
  (ask.model === 'oauthAccessToken' || ask.model === 'oauthRefreshToken') && ask.data?.['sessionId']
    ? { ...ask, data: { ...ask.data, sessionId: null } }
    : ask;

const bearsPassword = ({ model, update }: Ask): boolean => model === 'account' && update?.['password'] !== undefined;

function endingAccess(ask: Ask, method: Method, database: Database, end: (userId: unknown) => Promise<unknown>): Promise<unknown> {
  return database.transaction(async () => {
    const answer = await method(ask);
    await end(ask.where?.find(({ field }) => field === 'userId')?.value ?? (answer as Row | null)?.['userId']);
    return answer;
  });
}

async function hashing(ask: Ask, method: Method): Promise<unknown> {
  if (ask.model !== 'session') return method(ask);
  const given = [...(ask.where ?? []).flatMap(({ field, value }) => (field === 'token' ? value : [])), ask.data?.['token']];
  const tokens = new Map(given.flatMap((token) => (typeof token === 'string' ? [[hashOfToken(token), token] as const] : [])));
  const answer = await method({
    ...ask,
    ...(ask.where ? { where: ask.where.map((condition) => hashedCondition(condition)) } : {}),
    ...(ask.data ? { data: hashedRow(ask.data) } : {}),
  });
  return Array.isArray(answer) ? answer.map((row: Row) => restored(row, tokens)) : restored(answer, tokens);
}

const hashed = (value: unknown): unknown => (typeof value === 'string' ? hashOfToken(value) : value);
const hashedRow = (row: Row): Row => (row['token'] === undefined ? row : { ...row, token: hashed(row['token']) });

function hashedCondition(condition: Condition): Condition {
  if (condition.field !== 'token') return condition;
  return { ...condition, value: Array.isArray(condition.value) ? condition.value.map(hashed) : hashed(condition.value) };
}

/** Who asked by a token knows it; nobody else learns one. */
function restored(answer: unknown, tokens: ReadonlyMap<string, string>): unknown {
  const token = (answer as Row | null)?.['token'];
  return typeof token === 'string' ? { ...(answer as Row), token: tokens.get(token) ?? token } : answer;
}
