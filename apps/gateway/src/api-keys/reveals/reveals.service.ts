import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { revealNotFound, revealOver } from '@posthorn/contracts';
import { Commits, Secrets, type SecretLocation } from '@posthorn/platform';
import { bytesOf, SignedBytes, uuidBytes } from '@posthorn/mail';
import { Audit } from '../../audit/audit.js';
import { GatewayConfig } from '../../config.js';
import type { ApiKeyRow } from '../api-key.entity.js';
import { RevealsRepository } from './reveals.repository.js';
import { hashOfToken } from '../../identity/tokens.js';

export interface Reveal {
  linkToken: string;
  expiresAt: Date;
}

/** WAITING: can be revealed. OVER: used or expired. UNKNOWN: not a link of this key. */
export type RevealState = 'WAITING' | 'OVER' | 'UNKNOWN';

@Injectable()
export class RevealsService {
  private readonly tokens: RevealTokens;

  constructor(
    config: GatewayConfig,
    private readonly commits: Commits,
    private readonly reveals: RevealsRepository,
    private readonly secrets: Secrets,
    private readonly audit: Audit,
  ) {
    this.tokens = new RevealTokens(config.secretKeys);
  }

  /** Joins the transaction that creates the secret. */
  async keep({ projectId, id }: ApiKeyRow, token: string): Promise<Reveal> {
    const linkToken = this.tokens.mint(projectId, id);
    const sealed = this.secrets.seal(token, locationOf(projectId, id));
    return { linkToken, expiresAt: await this.reveals.put(projectId, id, hashOfToken(linkToken), sealed) };
  }

  /** Works once. */
  read(projectId: string, keyId: string, linkToken: string): Promise<string> {
    return this.commits.before(null, async () => {
      const sealed = await this.reveals.take(projectId, keyId, hashOfToken(linkToken));
      if (sealed === null)
        throw this.tokens.isOf(projectId, keyId, linkToken) ? revealOver() : revealNotFound();
      await this.audit.record(projectId, 'api_key.revealed', keyId);
      return this.secrets.open(sealed, locationOf(projectId, keyId));
    });
  }

  async stateOf(projectId: string, keyId: string, linkToken: string): Promise<RevealState> {
    if (await this.reveals.has(projectId, keyId, hashOfToken(linkToken))) return 'WAITING';
    return this.tokens.isOf(projectId, keyId, linkToken) ? 'OVER' : 'UNKNOWN';
  }

  forget({ projectId, id }: ApiKeyRow): Promise<void> {
    return this.reveals.remove(projectId, id);
  }
}

const locationOf = (projectId: string, id: string): SecretLocation => ({
  table: 'api_key_reveals',
  projectId,
  id,
});

const secretBytes = 32;

/** 256 random bits, signed together with the key's id, which distinguishes an expired link from a forged one. */
class RevealTokens {
  private readonly bytes: SignedBytes;

  constructor(secretKeys: readonly string[]) {
    this.bytes = new SignedBytes(secretKeys, {
      label: 'posthorn:reveal',
      macBytes: 16,
      longest: secretBytes + 2 * uuidBytes,
    });
  }

  mint(projectId: string, keyId: string): string {
    return this.bytes.write(Buffer.concat([randomBytes(secretBytes), bytesOf(projectId), bytesOf(keyId)]));
  }

  isOf(projectId: string, keyId: string, token: string): boolean {
    const text = this.bytes.read(token);
    return (
      text !== null && text.subarray(secretBytes).equals(Buffer.concat([bytesOf(projectId), bytesOf(keyId)]))
    );
  }
}
