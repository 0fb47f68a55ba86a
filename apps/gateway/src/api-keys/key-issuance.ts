import { Injectable } from '@nestjs/common';
import {
  confinedTemplatesUnknown,
  domains,
  invalidMember,
  maxDomains,
  templates,
  type ApiKey,
  type ApiKeyToReveal,
  type Caller,
  type Confine,
  type CreateApiKey,
  type UpdateApiKey,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { GatewayConfig } from '../config.js';
import { ApiKeysService, type RevealableKey } from './api-keys.service.js';

@Injectable()
export class KeyIssuance {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly bus: Bus,
    private readonly config: GatewayConfig,
  ) {}

  async create(caller: Caller, wanted: CreateApiKey): Promise<ApiKeyToReveal> {
    await this.refuseForeignDomain(caller, wanted.domainId);
    await this.refuseForeignTemplates(caller, wanted.confine);
    return this.withLink(await this.keys.createToReveal(caller, wanted));
  }

  async update(caller: Caller, keyId: string, change: UpdateApiKey): Promise<ApiKey> {
    await this.refuseForeignTemplates(caller, change.confine);
    return this.keys.update(caller, keyId, change);
  }

  async rotate(caller: Caller, keyId: string): Promise<ApiKeyToReveal> {
    return this.withLink(await this.keys.rotate(caller, keyId));
  }

  private async refuseForeignDomain(caller: Caller, domainId: string | null | undefined): Promise<void> {
    if (!domainId) return;
    const own = await this.bus.call(domains.list, caller, { limit: maxDomains });
    if (!own.items.some(({ id }) => id === domainId.toLowerCase()))
      throw invalidMember(['domainId'], 'not_found', 'must be a domain of this project');
  }

  private async refuseForeignTemplates(caller: Caller, confine: Confine | null | undefined): Promise<void> {
    const ids = confine?.templateIds ?? [];
    if (ids.length === 0) return;
    const known = new Set((await this.bus.call(templates.known, caller, { ids })).ids);
    const unknown = ids.flatMap((id, index) => (known.has(id.toLowerCase()) ? [] : [index]));
    if (unknown.length > 0) throw confinedTemplatesUnknown(unknown);
  }

  private withLink({ row, reveal }: RevealableKey): ApiKeyToReveal {
    const link = `${this.config.publicUrl.replace(/\/+$/, '')}/api/projects/${row.projectId}/api-keys/${row.id}/reveal`;
    return Object.assign(
      { revealUrl: `${link}?token=${reveal.linkToken}`, revealExpiresAt: reveal.expiresAt },
      row,
    );
  }
}
