import { Injectable } from '@nestjs/common';
import { domainOf, projects, senderNotVerified, serviceCaller, type Caller } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { SendingConfig } from '../config.js';
import { SenderDirectory } from '../domains/senders/sender-directory.js';

/** A template may name a sender of a verified domain or of the sandbox; the key is checked when it is sent. */
@Injectable()
export class TemplateSenders {
  constructor(
    private readonly senders: SenderDirectory,
    private readonly config: SendingConfig,
    private readonly bus: Bus,
  ) {}

  async refuseUnverified({ projectId }: Caller, from: string | null | undefined): Promise<void> {
    if (!from) return;
    const project = serviceCaller('sending', projectId);
    if (domainOf(from) !== this.config.sandboxDomain) await this.senders.senderFor(project, { email: from });
    else if (from !== (await this.sandboxOf(project))) throw senderNotVerified();
  }

  private async sandboxOf(project: Caller): Promise<string> {
    const { sandboxHandle } = await this.bus.call(projects.get, project, { id: project.projectId });
    return `${sandboxHandle}@${this.config.sandboxDomain}`;
  }
}
