import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import type { WorkBatch, WorkItem } from '@posthorn/work';
import { EffectFence } from '../../cancellations/effect-fence.js';
import type { EndpointOf } from '../../work-kinds.js';
import type { DueCall } from '../calls/call-attempts.js';
import { CallsRepository, type OpenEndpoint } from '../calls/calls.repository.js';
import { SigningSecrets } from '../secrets/signing-secrets.js';
import { CallOutcomes, type Turn } from './call-outcomes.js';
import type { Round } from './call-owners.js';

/** Of all endpoints of a batch together, and of one. */
const [callsOfBatch, mostCalls, leastCalls] = [256, 50, 8];
const heldMs = 60_000;
const tidiedAtOnce = 1_000;

/** Finds what endpoints have to send, with a fixed number of queries for a batch. */
@Injectable()
export class CallRounds {
  constructor(
    private readonly database: Database,
    private readonly calls: CallsRepository,
    private readonly signing: SigningSecrets,
    private readonly outcomes: CallOutcomes,
    private readonly fence: EffectFence,
  ) {}

  /** Of those with something to send; the others have had their turn. */
  async open(batch: WorkBatch<EndpointOf>): Promise<Round[]> {
    const { projectId, items } = batch;
    const limit = Math.max(leastCalls, Math.min(mostCalls, Math.floor(callsOfBatch / items.length)));
    const opened = await this.calls.open(projectId, items.map(keyOf), limit);
    const byId = new Map(opened.map((endpoint) => [endpoint.id, endpoint]));
    const isHeld = items.some(isOfSteps) && (await this.fence.isHeld(projectId));
    const [idle, busy]: [Turn[], WorkItem<EndpointOf>[]] = [[], []];
    for (const item of items) {
      const endpoint = byId.get(item.key!)!;
      const isClosed = isOfSteps(item) ? isHeld : !endpoint.isActive;
      if (!isClosed && endpoint.calls.length > 0) busy.push(item);
      else idle.push({ item, batch, nextMs: await this.restOf(projectId, item, isClosed ? null : endpoint) });
    }
    if (idle.length > 0) await this.outcomes.settleIdle(projectId, idle);
    return busy.length > 0 ? this.roundsOf(batch, busy, byId) : [];
  }

  /** A process has ended while it worked on this endpoint. Sends nothing, because others wait while such an item is handled. */
  async countDeath(batch: WorkBatch<EndpointOf>): Promise<void> {
    const { projectId, items } = batch;
    const [endpoint] = await this.calls.open(projectId, items.map(keyOf), mostCalls);
    await this.database.transaction(async () => {
      await this.calls.addClaim(projectId, separate(endpoint!.calls));
      await batch.postpone(items, 0);
    });
  }

  /** Of an endpoint without something to send; null for one that is closed. */
  private async restOf(
    projectId: string,
    item: WorkItem<EndpointOf>,
    endpoint: OpenEndpoint | null,
  ): Promise<number | null> {
    if (endpoint) return endpoint.nextMs === null ? null : Math.max(endpoint.nextMs, endpoint.restMs);
    if (isOfSteps(item)) return heldMs;
    return (await this.calls.tidyUp(projectId, item.key!, tidiedAtOnce)) > 0 ? 0 : null;
  }

  private async roundsOf(
    batch: WorkBatch<EndpointOf>,
    items: readonly WorkItem<EndpointOf>[],
    opened: ReadonlyMap<string, OpenEndpoint>,
  ): Promise<Round[]> {
    const { projectId } = batch;
    const signerOf = (item: WorkItem<EndpointOf>) => (isOfSteps(item) ? projectId : item.key!);
    const waiting = new Map(items.map((item) => [item, separate(opened.get(item.key!)!.calls)]));
    const ids = [...waiting.values()].flat().map(({ requestId }) => requestId);
    const [requests, keys] = await Promise.all([
      this.calls.requests(projectId, [...new Set(ids)]),
      this.signing.ofEach(projectId, [...new Set(items.map(signerOf))]),
    ]);
    return items.map((item) => ({
      projectId,
      batch,
      item,
      requests,
      kind: item.payload.kind,
      endpoint: opened.get(item.key!)!,
      keys: keys.get(signerOf(item)) ?? [],
      waiting: waiting.get(item)!,
      underWay: new Set(),
      attempts: [],
      error: null,
    }));
  }
}

const keyOf = ({ key }: WorkItem<EndpointOf>): string => key!;

const isOfSteps = ({ payload: { kind } }: WorkItem<EndpointOf>): boolean => kind === 'STEP';

/** One that was sent when a process ended may be why: it is sent alone. */
function separate(calls: readonly DueCall[]): DueCall[] {
  const first = calls.findIndex(({ claims }) => claims > 0);
  return first === -1 ? [...calls] : calls.slice(0, Math.max(1, first));
}
