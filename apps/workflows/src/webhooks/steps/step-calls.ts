import { Injectable } from '@nestjs/common';
import {
  headerFault,
  outboundRefusals,
  RefusedTarget,
  targetOf,
  type OutboundRules,
} from '@posthorn/outbound';
import { WorkQueue } from '@posthorn/work';
import { executionWork, stepDispatchWork } from '../../work-kinds.js';
import {
  originOf,
  StepCallsRepository,
  type StepCall,
  type StepCallResult,
} from './step-calls.repository.js';

/** Calls of webhook steps, for the engine. When one has ended, its execution is due. */
@Injectable()
export class StepCalls {
  constructor(
    private readonly calls: StepCallsRepository,
    private readonly queue: WorkQueue,
  ) {}

  /** Joins the ambient transaction; a call that is known changes nothing. */
  async add(calls: readonly StepCall[]): Promise<void> {
    if (calls.length === 0) return;
    const placed = calls.map((call) => ({ ...call, ...originOf(call) }));
    const failed = placed.filter(({ error }) => error !== null);
    const dueTimes = await this.calls.add(placed);
    await this.queue.enqueue(
      executionWork,
      failed.map(({ projectId, executionId: key }) => ({ projectId, key })),
    );
    await this.queue.enqueue(
      stepDispatchWork,
      dueTimes.map(({ projectId, endpointId: key, dueAt }) => ({ projectId, key, dueAt })),
    );
  }

  async results(projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, StepCallResult>> {
    if (ids.length === 0) return new Map();
    const found = await this.calls.results(projectId, ids);
    return new Map(found.map(({ id, ...result }) => [id, result]));
  }
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
