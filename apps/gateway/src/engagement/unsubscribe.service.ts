import { Injectable } from '@nestjs/common';
import { contacts, serviceCaller, type Caller } from '@posthorn/contracts';
import type { UnsubscribePlace } from '@posthorn/mail';
import { Bus } from '@posthorn/messaging';
import { ownDatabaseMs, within } from '../edge/deadline.js';
import { unknownRoute } from '../edge/edge-errors.js';
import { ProjectsRepository } from '../projects/projects.repository.js';

/** Who wrote to somebody, as far as that can be said. */
export interface Sender {
  name: string | null;
  language: string;
}

const unknownSender: Sender = { name: null, language: 'en' };

@Injectable()
export class UnsubscribeService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly bus: Bus,
  ) {}

  /** Without its database the gateway still shows the way out, in plain English. */
  async senderOf({ projectId }: UnsubscribePlace): Promise<Sender> {
    const project = await within(ownDatabaseMs, this.projects.find(projectId)).catch(() => unknownSender);
    if (!project) throw unknownRoute();
    return project;
  }

  /** Once this has answered, no marketing mail to the address begins its hand-off. */
  async unsubscribe({ projectId, email }: UnsubscribePlace, client: Pick<Caller, 'address' | 'userAgent'>): Promise<void> {
    await this.bus.call(contacts.unsubscribe, { ...serviceCaller('gateway', projectId), ...client }, { email });
  }
}
