import { Injectable } from '@nestjs/common';
import type { ApiKeyToReveal, Caller, CreateApiKey } from '@posthorn/contracts';
import { GatewayConfig } from '../config.js';
import { ApiKeysService, type RevealableKey } from './api-keys.service.js';
import { KeyDomains } from './key-domains.js';

@Injectable()
export class KeyIssuance {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly domains: KeyDomains,
    private readonly config: GatewayConfig,
  ) {}

  async create(caller: Caller, wanted: CreateApiKey): Promise<ApiKeyToReveal> {
    await this.domains.refuseForeign(caller, wanted.domainId);
    return this.withLink(await this.keys.createToReveal(caller, wanted));
  }

  async rotate(caller: Caller, keyId: string): Promise<ApiKeyToReveal> {
    return this.withLink(await this.keys.rotate(caller, keyId));
  }

  private withLink({ row, reveal }: RevealableKey): ApiKeyToReveal {
    const link = `${this.config.publicUrl.replace(/\/+$/, '')}/api/projects/${row.projectId}/api-keys/${row.id}/reveal`;
    return Object.assign(
      { revealUrl: `${link}?token=${reveal.linkToken}`, revealExpiresAt: reveal.expiresAt },
      row,
    );
  }
}
