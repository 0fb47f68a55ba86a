import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Loop } from '@posthorn/messaging';
import { ApiKeysRepository } from '../api-keys/api-keys.repository.js';
import type { Credential } from './credential.js';

const everyMs = 15_000;

/** Written in intervals, so that requests do not wait for it. */
@Injectable()
export class KeyUsage implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('KeyUsage');
  private used = new Map<string, { projectId: string; keyId: string }>();
  private readonly loop: Loop;

  constructor(private readonly keys: ApiKeysRepository) {
    this.loop = new Loop({
      everyMs,
      work: () => this.write(),
      onError: (error) => this.log.warn((error as Error).message),
    });
  }

  touch({ keyId, projectId }: Pick<Credential, 'keyId' | 'projectId'>): void {
    if (!this.used.has(keyId)) this.used.set(keyId, { projectId, keyId });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
    await this.write().catch((error: Error) => this.log.warn(error.message));
  }

  private async write(): Promise<void> {
    if (this.used.size === 0) return;
    const written = this.used;
    this.used = new Map();
    try {
      await this.keys.markUsed([...written.values()]);
    } catch (error) {
      this.used = new Map([...written, ...this.used]);
      throw error;
    }
  }
}
