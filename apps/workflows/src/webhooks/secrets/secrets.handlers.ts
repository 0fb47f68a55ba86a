import { Controller } from '@nestjs/common';
import {
  projectWebhookSecrets,
  secrets,
  type NewProjectWebhookSecret,
  type ProjectWebhookSecret,
  type RotatedSecrets,
  type RotateSecrets,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits, Resealing } from '@posthorn/platform';
import { SigningSecrets } from './signing-secrets.js';

@Controller()
export class SecretsHandlers {
  constructor(
    private readonly signing: SigningSecrets,
    private readonly commits: Commits,
    private readonly resealing: Resealing,
  ) {}

  @Handles(projectWebhookSecrets.get)
  async get({ caller: { projectId } }: Incoming<object>): Promise<ProjectWebhookSecret> {
    return { lastFour: await this.signing.lastFour(projectId, projectId) };
  }

  @Handles(projectWebhookSecrets.rotate)
  async rotate({ caller: { projectId }, deadline }: Incoming<object>): Promise<NewProjectWebhookSecret> {
    return { secret: await this.commits.before(deadline, () => this.signing.replace(projectId, projectId)) };
  }

  @Handles(secrets.rotateWorkflows)
  reseal({ body }: Incoming<RotateSecrets>): Promise<RotatedSecrets> {
    return this.resealing.rotate(body.after);
  }
}
