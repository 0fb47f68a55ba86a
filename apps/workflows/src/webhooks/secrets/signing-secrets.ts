import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  projectWebhookSecrets,
  type NewProjectWebhookSecret,
  type ProjectWebhookSecret,
} from '@posthorn/contracts';
import { Database, newId } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits, Secrets, type SecretLocation } from '@posthorn/platform';
import { SigningSecretsRepository } from './signing-secrets.repository.js';

const table = 'signing_secrets';
const locationOf = (projectId: string, id: string): SecretLocation => ({ table, projectId, id });

/** Secrets that sign calls. They are stored sealed, and shown when they are made. */
@Injectable()
export class SigningSecrets {
  constructor(
    private readonly database: Database,
    private readonly secrets: Secrets,
    private readonly rows: SigningSecretsRepository,
    private readonly commits: Commits,
  ) {}

  @Handles(projectWebhookSecrets.get)
  async lookAtProject({ caller: { projectId } }: Incoming<object>): Promise<ProjectWebhookSecret> {
    return { lastFour: await this.lastFour(projectId, projectId) };
  }

  @Handles(projectWebhookSecrets.rotate)
  async replaceOfProject({
    caller: { projectId },
    deadline,
  }: Incoming<object>): Promise<NewProjectWebhookSecret> {
    return { secret: await this.commits.before(deadline, () => this.replace(projectId, projectId)) };
  }

  async of(projectId: string, ownerId: string): Promise<string[]> {
    const rows = await this.rows.usable(projectId, ownerId);
    return rows.map(({ id, sealed }) => this.secrets.open(sealed, locationOf(projectId, id)));
  }

  /** Those of the webhook steps of a project, which has one from its first use on. */
  async ofProject(projectId: string): Promise<string[]> {
    const known = await this.of(projectId, projectId);
    if (known.length > 0) return known;
    return this.database.transaction(async () => {
      await this.rows.lock(projectId, projectId);
      const made = await this.of(projectId, projectId);
      return made.length > 0 ? made : [await this.add(projectId, projectId)];
    });
  }

  lastFour(projectId: string, ownerId: string): Promise<string | null> {
    return this.rows.lastFour(projectId, ownerId);
  }

  /** Joins the ambient transaction. The old one signs, too, for a day. */
  async replace(projectId: string, ownerId: string): Promise<string> {
    await this.rows.lock(projectId, ownerId);
    await this.rows.endCurrent(projectId, ownerId);
    return this.add(projectId, ownerId);
  }

  async add(projectId: string, ownerId: string): Promise<string> {
    const [id, secret] = [newId(), newWebhookSecret()];
    const sealed = this.secrets.seal(secret, locationOf(projectId, id));
    await this.rows.add(projectId, { id, ownerId, sealed, lastFour: secret.slice(-4) });
    return secret;
  }

  remove(projectId: string, ownerId: string): Promise<void> {
    return this.rows.remove(projectId, ownerId);
  }
}

const prefix = 'whsec_';
const secretBytes = 24;

/** As Standard Webhooks writes secrets: base64 behind a prefix. */
export const newWebhookSecret = (): string => `${prefix}${randomBytes(secretBytes).toString('base64')}`;

interface Signed {
  id: string;
  at: Date;
  body: string;
}

/** The headers of Standard Webhooks; each secret signs, so that a rotation needs no simultaneous change. */
export function signatureHeaders(
  { id, at, body }: Signed,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
