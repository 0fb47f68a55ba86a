import { Injectable } from '@nestjs/common';
import { apiKeyEvents, type ApiKeyEvent, type EventContract, type IdentityAction } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { Audit } from '../audit/audit.js';
import type { ApiKeyRow } from './api-key.entity.js';

interface Action {
  event: EventContract<ApiKeyEvent>;
  action: IdentityAction;
  at: Date;
}

@Injectable()
export class KeyEvents {
  constructor(
    private readonly clock: DatabaseClock,
    private readonly outbox: Outbox,
    private readonly audit: Audit,
  ) {}

  created(row: ApiKeyRow): Promise<void> {
    return this.publish(row, { event: apiKeyEvents.created, action: 'api_key.created', at: row.createdAt });
  }

  async changed(row: ApiKeyRow, action: 'api_key.changed' | 'api_key.rotated'): Promise<void> {
    await this.publish(row, { event: apiKeyEvents.changed, action, at: await this.clock.now() });
  }

  revoked(row: ApiKeyRow, at: Date): Promise<void> {
    return this.publish(row, { event: apiKeyEvents.revoked, action: 'api_key.revoked', at });
  }

  private async publish({ projectId, id }: ApiKeyRow, { event, action, at }: Action): Promise<void> {
    await this.outbox.publish(event, projectId, [{ keyId: id, at }]);
    await this.audit.record(projectId, action, id);
  }
}
