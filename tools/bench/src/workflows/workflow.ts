import { randomUUID } from 'node:crypto';
import type { Api } from '../audience/api.js';
import type { Audience } from '../campaigns/audiences.js';
import { databaseOf, inDatabase } from '../databases.js';
import type { Servers } from '../product.js';

type ChainStep = [type: string, config?: object];

interface Step {
  id: string;
  name: string;
  type: string;
  config: object;
  position: object;
}

/** Steps in a row. The first branch of a step leads to the next one, its other branch to the last. */
interface Chain {
  steps: Step[];
  transitions: object[];
}

const branches: Readonly<Record<string, readonly string[]>> = {
  CONDITION: ['yes', 'no'],
  WAIT_FOR_EVENT: ['event', 'timeout'],
};

/** A TRIGGER is put before them. */
export function chainOf(...given: ChainStep[]): Chain {
  const steps = [['TRIGGER'] as ChainStep, ...given].map(([type, config = {}], place) => ({
    id: randomUUID(),
    name: `${type} ${place}`,
    type,
    config,
    position: { x: 0, y: place },
  }));
  const last = steps.at(-1)!;
  const transitions = steps.slice(0, -1).flatMap(({ id: from_step_id, type }, place) =>
    (branches[type] ?? [null]).map((branch, index) => ({
      id: randomUUID(),
      from_step_id,
      priority: 0,
      to_step_id: (index === 0 ? steps[place + 1]! : last).id,
      condition: branch === null ? null : { branch },
    })),
  );
  return { steps, transitions };
}

export interface MadeWorkflow {
  id: string;
  version: number;
  stepIds: string[];
}

/** Enabled. */
export async function makeWorkflow(api: Api, settings: object, chain: Chain): Promise<MadeWorkflow> {
  const { id } = await api.post<{ id: string }>('/api/v1/workflows', { name: 'Bench', ...settings });
  const path = `/api/v1/workflows/${id}`;
  const { version } = await api.request<{ version: number }>({
    ...api.posting(`${path}/graph`, chain),
    method: 'PUT',
  });
  await api.request({ method: 'POST', path: `${path}/resume`, headers: api.headers });
  return { id, version, stepIds: chain.steps.map((step) => step.id) };
}

/** The contacts of one project. */
export interface Crowd {
  audience: Audience;
  contactIds: string[];
}

export function crowdsOf({ databaseUrl }: Servers, audiences: readonly Audience[]): Promise<Crowd[]> {
  return inDatabase(databaseOf(databaseUrl, 'contacts'), async (client) => {
    const crowds: Crowd[] = [];
    for (const audience of audiences) {
      const { rows } = await client.query<{ id: string }>(
        `SELECT id FROM contacts WHERE project_id = $1 ORDER BY id`,
        [audience.api.projectId],
      );
      crowds.push({ audience, contactIds: rows.map(({ id }) => id) });
    }
    return crowds;
  });
}
