import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { aboveProjects, projects, serviceCaller } from '@posthorn/contracts';
import { Bus, Loop, ReadModels } from '@posthorn/messaging';
import { DeliveryBell } from '../delivery/delivery-bell.js';
import { projectStatesName, ProjectStates } from './project-states.read-model.js';

/** A read model that is empty, gapped or long uncompared starts again from a snapshot of its owner; in between it follows the facts. */
@Injectable()
export class ProjectSnapshot implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('ProjectSnapshot');
  private readonly loop = new Loop({
    everyMs: 2_000,
    work: () => this.repair(),
    onError: (error) => this.log.debug(`no snapshot yet: ${(error as Error).message}`),
  });

  constructor(
    private readonly bus: Bus,
    private readonly states: ProjectStates,
    private readonly readModels: ReadModels,
    private readonly bell: DeliveryBell,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }

  private async repair(): Promise<void> {
    const due = (await this.readModels.needsRebuild(projectStatesName)) || (await this.states.isEmpty());
    if (!due) return;
    await this.readModels.rebuild(projectStatesName, () => this.fill());
    this.bell.ring();
  }

  private async fill(): Promise<void> {
    let after: { at: Date; id: string } | undefined;
    do {
      const page = await this.bus.call(projects.list, serviceCaller('sending', aboveProjects), { limit: 100, after });
      if (page.items.length > 0) await this.states.put(page.items);
      after = page.next ?? undefined;
    } while (after);
  }
}
