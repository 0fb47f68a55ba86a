import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { uuidOf } from '@posthorn/messaging';
import {
  headerFault,
  outboundRefusals,
  RefusedTarget,
  targetOf,
  type OutboundRules,
} from '@posthorn/outbound';
import { WorkQueue } from '@posthorn/work';
import { callWork, executionWork } from '../../work-kinds.js';
import { CallsRepository, type CallResult, type StepCall } from '../calls/calls.repository.js';

/** Calls of webhook steps, for the engine. When one has ended, its execution is due. */
@Injectable()
export class StepCalls {
  constructor(
    private readonly calls: CallsRepository,
    private readonly queue: WorkQueue,
  ) {}

  /** Joins the ambient transaction; a call that is known changes nothing. */
  async add(projectId: string, calls: readonly StepCall[]): Promise<void> {
    if (calls.length === 0) return;
    const placed = calls.map((call) => ({ ...call, ...originOf(projectId, call.url) }));
    const failed = placed.filter(({ error }) => error !== null);
    const wakes = await this.calls.addOfSteps(projectId, placed);
    await this.queue.enqueue(
      callWork,
      wakes.map(({ id: key, dueAt }) => ({ projectId, key, dueAt, payload: { kind: 'STEP' } })),
    );
    await this.queue.enqueue(
      executionWork,
      failed.map(({ executionId: key }) => ({ projectId, key })),
    );
  }

  results(projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, CallResult>> {
    return this.calls.results(projectId, ids);
  }
}

/** All calls of a project to one origin share a turn. */
function originOf(projectId: string, url: string): { endpointId: string; error: string | null } {
  const origin = URL.canParse(url) ? new URL(url).origin : '';
  const isUsable = /^https?:/.test(origin);
  const error = isUsable ? null : `The URL ${outboundRefusals[origin === '' ? 'url' : 'scheme']}`;
  const bytes = createHash('sha256').update(`${projectId} ${origin}`).digest().subarray(0, 16);
  return { endpointId: uuidOf(bytes, 8), error };
}

interface Request {
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** Why a call cannot leave, as far as that is known before its name is resolved: for executions and for rehearsals. */
export const requestFault = ({ url, headers }: Request, rules: OutboundRules): string | null =>
  urlFault(url, rules) ?? headersFault(headers);

export function headersFault(headers: Request['headers']): string | null {
  const refused = Object.entries(headers).find(([name, value]) => headerFault(name, value) !== null);
  return refused ? `The header ${refused[0]} cannot be sent` : null;
}

function urlFault(url: string, rules: OutboundRules): string | null {
  try {
    targetOf(url, rules);
    return null;
  } catch (error) {
    if (!(error instanceof RefusedTarget)) throw error;
    return `The URL ${outboundRefusals[error.refusal]}`;
  }
}
