import { Injectable } from '@nestjs/common';
import { projects, serviceCaller } from '@posthorn/contracts';
import { TtlCache } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';

/** Where a contact names no time zone of its own. */
@Injectable()
export class ProjectZones {
  private readonly zones = new TtlCache((projectId) => this.read(projectId!));

  constructor(private readonly bus: Bus) {}

  of(projectId: string): Promise<string> {
    return this.zones.of(projectId);
  }

  private async read(projectId: string): Promise<string> {
    const caller = serviceCaller('workflows', projectId);
    const { timeZone = 'UTC' } = await this.bus.call(projects.get, caller, { id: projectId });
    return timeZone;
  }
}
