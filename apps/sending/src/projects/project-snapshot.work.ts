import { Injectable, Logger } from '@nestjs/common';
import {
  noProject,
  DomainError,
  projectEvents,
  projects,
  serviceCaller,
  type ProjectEvent,
} from '@posthorn/contracts';
import { Bus, OnEvent, ReadModels, type DomainEvent } from '@posthorn/messaging';
import { RepeatedWork, work, WorkQueue, WorkRunner } from '@posthorn/work';
import { DeliveryWakeUp } from '../delivery/delivery-wake-up.js';
import { projectStatesName, ProjectStates } from './project-states.read-model.js';

const retryMs = 2_000;
const everyMs = 30_000;
export const projectSnapshotWork = work('sending.project-snapshots', {
  timeoutMs: 300_000,
  retry: { attempts: Infinity, firstMs: retryMs, maxMs: everyMs },
});

/** A snapshot of the gateway when the read model is empty, has a gap or was not compared for long; otherwise events keep it current. */
@Injectable()
export class ProjectSnapshotWork extends RepeatedWork {
  private readonly log = new Logger('ProjectSnapshot');

  constructor(
    private readonly bus: Bus,
    private readonly states: ProjectStates,
    private readonly readModels: ReadModels,
    private readonly wakeUp: DeliveryWakeUp,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(projectSnapshotWork, queue, runner);
  }

  @OnEvent(projectEvents.changed, 'project-states')
  async onChanged({ items }: DomainEvent<ProjectEvent>): Promise<void> {
    // The event may merely have been overtaken, but a snapshot is cheap and correct in both cases.
    if (await this.states.leavesGap(items)) {
      await this.readModels.markStale(projectStatesName);
      await this.soon();
    }
    await this.states.put(items);
    this.wakeUp.wake();
  }

  protected async round(): Promise<number> {
    const due = (await this.readModels.needsRebuild(projectStatesName)) || (await this.states.isEmpty());
    if (!due) return everyMs;
    try {
      await this.readModels.rebuild(projectStatesName, () => this.fill());
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.log.debug(`no snapshot yet: ${error.message}`);
      return retryMs;
    }
    this.wakeUp.wake();
    return everyMs;
  }

  private async fill(): Promise<void> {
    let after: { at: Date; id: string } | undefined;
    do {
      const page = await this.bus.call(projects.list, serviceCaller('sending', noProject), {
        limit: 100,
        after,
      });
      if (page.items.length > 0) await this.states.put(page.items);
      after = page.next ?? undefined;
    } while (after);
  }
}
