import { apiKeys, projects, type CreateApiKey, type CreatedApiKey, type Caller } from '@posthorn/contracts';
import { openDatabase, type Database } from '@posthorn/database';
import { Bus, BusConnection } from '@posthorn/messaging';
import { cloneDatabase, startTestNats, testSecret, type TestNats } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startGateway, type RunningGateway } from '../service.js';
import { DatabaseLine } from './database-line.js';

const nobody = '00000000-0000-0000-0000-000000000000';

export interface Ask {
  key?: string | null;
  /** JSON unless it is text or bytes already. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Told {
  status: number;
  headers: Headers;
  text: string;
  json: Record<string, unknown>;
  ms: number;
}

/** The gateway as it runs, on a database and a NATS of its own, without any other service. */
export interface GatewaySuite {
  gateway: RunningGateway;
  bus: Bus;
  connection: BusConnection;
  database: Database;
  nats: TestNats;
  ask(method: string, path: string, ask?: Ask): Promise<Told>;
  buildProject(): Promise<{ projectId: string; caller: Caller }>;
  buildKey(projectId: string, wanted?: Partial<CreateApiKey>): Promise<CreatedApiKey>;
  /** The gateway's way to its database. */
  line: DatabaseLine;
  stop(): Promise<void>;
}

export const operatorOf = (projectId: string): Caller => ({ projectId, actor: { kind: 'OPERATOR', id: 'tests' } });

export async function startGatewaySuite(changes: Record<string, string> = {}): Promise<GatewaySuite> {
  const [clone, nats] = await Promise.all([cloneDatabase('gateway', { entities, migrations }), startTestNats()]);
  const line = await DatabaseLine.open(clone.url);
  const environment: Record<string, string> = {
    GATEWAY_DATABASE_URL: line.url,
    NATS_URL: nats.url,
    POSTHORN_SECRET_KEY: testSecret,
    PORT: '0',
    DRAIN_MS: '0',
    RATE_LIMIT_ENABLED: 'false',
    LOG_LEVEL: 'silent',
    ...changes,
  };
  const gateway = await startGateway({ environment, processMetrics: false });
  const connection = await BusConnection.open({ url: nats.url, name: 'suite' });
  const database = await openDatabase({ url: clone.url, name: 'suite', entities, migrations, poolSize: 2 });
  const bus = new Bus(connection);
  return {
    gateway,
    bus,
    connection,
    database,
    nats,
    line,
    ask: (method, path, ask = {}) => askOver(gateway.url, method, path, ask),
    buildProject: async () => {
      const { id } = await bus.call(projects.create, operatorOf(nobody), { name: 'A project' });
      return { projectId: id, caller: operatorOf(id) };
    },
    buildKey: (projectId, wanted = {}) => bus.call(apiKeys.create, operatorOf(projectId), { name: 'A key', ...wanted }),
    stop: async () => {
      await gateway.stop();
      await connection.close();
      await database.source.destroy();
      await line.close();
      await Promise.all([clone.drop(), nats.stop()]);
    },
  };
}

async function askOver(url: string, method: string, path: string, { key, body, headers = {} }: Ask): Promise<Told> {
  const started = performance.now();
  const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(raw === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: raw as string | undefined,
  });
  const text = await response.text();
  const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, headers: response.headers, text, json, ms: performance.now() - started };
}
