import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { projects, serviceCaller } from '@posthorn/contracts';
import { Bus, Loop } from '@posthorn/messaging';
import { ProjectStates } from './project-states.read-model.js';

const nobody = '00000000-0000-0000-0000-000000000000';

/** An empty read model starts from one snapshot of its owner; afterwards it follows the facts. */
@Injectable()
export class ProjectSnapshot implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('ProjectSnapshot');
  private done = false;
  private readonly loop = new Loop({
    everyMs: 2_000,
    work: () => this.fill(),
    onError: (error) => this.log.debug(`no snapshot yet: ${(error as Error).message}`),
  });

  constructor(
    private readonly bus: Bus,
    private readonly states: ProjectStates,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }

  private async fill(): Promise<void> {
    if (this.done) return;
    this.done = !(await this.states.isEmpty());
    if (this.done) return;
    let after: { at: Date; id: string } | undefined;
    do {
      const page = await this.bus.call(projects.list, serviceCaller('sending', nobody), { limit: 100, after });
      if (page.items.length > 0) await this.states.put(page.items);
      after = page.next ?? undefined;
    } while (after);
  }
}
