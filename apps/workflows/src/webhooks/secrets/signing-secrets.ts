import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  projectWebhookSecrets,
  type NewProjectWebhookSecret,
  type ProjectWebhookSecret,
} from '@posthorn/contracts';
import { Database, newId } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits, Secrets, type SecretLocation } from '@posthorn/platform';
import { SigningSecretsRepository, type SealedSecret } from './signing-secrets.repository.js';

const table = 'signing_secrets';
const locationOf = (projectId: string, id: string): SecretLocation => ({ table, projectId, id });

const maxKeys = 10_000;

/** Secrets that sign calls. They are stored sealed, and shown when they are made. */
@Injectable()
export class SigningSecrets {
  /** By the id of the secret, which never changes. */
  private readonly keys = new Map<string, KeyObject>();

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

  async of(projectId: string, ownerId: string): Promise<KeyObject[]> {
    return (await this.ofEach(projectId, [ownerId])).get(ownerId) ?? [];
  }

  /** By owner. The webhook steps of a project, whose secret is owned by the project, have one from its first use on. */
  async ofEach(projectId: string, ownerIds: readonly string[]): Promise<ReadonlyMap<string, KeyObject[]>> {
    const known = await this.usable(projectId, ownerIds);
    if (!ownerIds.includes(projectId) || known.has(projectId)) return known;
    await this.database.transaction(async () => {
      await this.rows.lock(projectId, projectId);
      if (!(await this.usable(projectId, [projectId])).has(projectId)) await this.add(projectId, projectId);
    });
    return this.usable(projectId, ownerIds);
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

  private async usable(
    projectId: string,
    ownerIds: readonly string[],
  ): Promise<ReadonlyMap<string, KeyObject[]>> {
    const byOwner = Map.groupBy(await this.rows.usable(projectId, ownerIds), ({ ownerId }) => ownerId);
    return new Map(
      [...byOwner].map(([ownerId, rows]) => [ownerId, rows.map((row) => this.keyOf(projectId, row))]),
    );
  }

  private keyOf(projectId: string, { id, sealed }: SealedSecret): KeyObject {
    const known = this.keys.get(id);
    if (known) return known;
    const key = signingKey(this.secrets.open(sealed, locationOf(projectId, id)));
    if (this.keys.size >= maxKeys) this.keys.clear();
    this.keys.set(id, key);
    return key;
  }
}

const prefix = 'whsec_';
const secretBytes = 24;

/** As Standard Webhooks writes secrets: base64 behind a prefix. */
export const newWebhookSecret = (): string => `${prefix}${randomBytes(secretBytes).toString('base64')}`;

export const signingKey = (secret: string): KeyObject =>
  createSecretKey(secret.slice(prefix.length), 'base64');

interface Signed {
  id: string;
  at: Date;
  body: Buffer | string;
}

/** The headers of Standard Webhooks; each secret signs, so that a rotation needs no simultaneous change. */
export function signatureHeaders(
  { id, at, body }: Signed,
  keys: readonly KeyObject[],
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
