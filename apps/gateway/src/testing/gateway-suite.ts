import { apiKeys, projects, type CreateApiKey, type CreatedApiKey, type Caller } from '@posthorn/contracts';
import { openServiceGround, type ServiceGround } from '@posthorn/testing';
import { entities, migrations } from '../data-source.js';
import { startGateway, type RunningGateway } from '../service.js';

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
export interface GatewaySuite extends Pick<ServiceGround, 'bus' | 'connection' | 'database' | 'factsOf' | 'line' | 'nats'> {
  gateway: RunningGateway;
  ask(method: string, path: string, ask?: Ask): Promise<Told>;
  buildProject(): Promise<{ projectId: string; caller: Caller }>;
  buildKey(projectId: string, wanted?: Partial<CreateApiKey>): Promise<CreatedApiKey>;
  stop(): Promise<void>;
}

export const operatorOf = (projectId: string): Caller => ({ projectId, actor: { kind: 'OPERATOR', id: 'tests' } });

export async function startGatewaySuite(changes: Record<string, string> = {}): Promise<GatewaySuite> {
  const ground = await openServiceGround('gateway', { entities, migrations });
  const { bus } = ground;
  const environment = { ...ground.environment, PORT: '0', DRAIN_MS: '0', RATE_LIMIT_ENABLED: 'false', ...changes };
  const gateway = await startGateway({ environment, processMetrics: false });
  return {
    ...ground,
    gateway,
    ask: (method, path, ask = {}) => askOver(gateway.url, method, path, ask),
    buildProject: async () => {
      const { id } = await bus.call(projects.create, operatorOf(nobody), { name: 'A project' });
      return { projectId: id, caller: operatorOf(id) };
    },
    buildKey: (projectId, wanted = {}) => bus.call(apiKeys.create, operatorOf(projectId), { name: 'A key', ...wanted }),
    stop: async () => {
      await gateway.stop();
      await ground.close();
    },
  };
}

async function askOver(url: string, method: string, path: string, { key, body, headers = {} }: Ask): Promise<Told> {
  const started = performance.now();
  const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
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
