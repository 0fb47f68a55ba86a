import { Controller } from '@nestjs/common';
import {
  apiKeys,
  type ApiKey,
  type ApiKeyId,
  type ApiKeyList,
  type CreateApiKey,
  type CreatedApiKey,
  type ListApiKeys,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import type { ApiKeyRow } from './api-key.entity.js';
import { ApiKeysService } from './api-keys.service.js';

@Controller()
export class ApiKeysHandlers {
  constructor(private readonly keys: ApiKeysService) {}

  @Handles(apiKeys.create)
  async create({ caller, body }: Incoming<CreateApiKey>): Promise<CreatedApiKey> {
    const { row, token } = await this.keys.create(caller, body);
    return { ...toApiKey(row), token };
  }

  @Handles(apiKeys.list)
  async list({ caller }: Incoming<ListApiKeys>): Promise<ApiKeyList> {
    return { keys: (await this.keys.list(caller.projectId)).map(toApiKey) };
  }

  @Handles(apiKeys.revoke)
  async revoke({ caller, body }: Incoming<ApiKeyId>): Promise<ApiKey> {
    return toApiKey(await this.keys.revoke(caller, body.id));
  }
}

function toApiKey({ tokenHash: _secret, ...row }: ApiKeyRow): ApiKey {
  return row;
}
