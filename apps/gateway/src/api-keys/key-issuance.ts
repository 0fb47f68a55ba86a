import { Injectable } from '@nestjs/common';
import type { ApiKey, ApiKeyToReveal, Caller, CreateApiKey, UpdateApiKey } from '@posthorn/contracts';
import { GatewayConfig } from '../config.js';
import { ApiKeysService, type RevealableKey } from './api-keys.service.js';
import { KeyDomains } from './key-domains.js';
import { KeyTemplates } from './key-templates.js';

@Injectable()
export class KeyIssuance {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly domains: KeyDomains,
    private readonly templates: KeyTemplates,
    private readonly config: GatewayConfig,
  ) {}

  async create(caller: Caller, wanted: CreateApiKey): Promise<ApiKeyToReveal> {
    await this.domains.refuseForeign(caller, wanted.domainId);
    await this.templates.refuseForeign(caller, wanted.confine);
    return this.withLink(await this.keys.createToReveal(caller, wanted));
  }

  async update(caller: Caller, keyId: string, change: UpdateApiKey): Promise<ApiKey> {
    await this.templates.refuseForeign(caller, change.confine);
    return this.keys.update(caller, keyId, change);
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
