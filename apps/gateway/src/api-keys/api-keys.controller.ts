import { Controller } from '@nestjs/common';
import {
  ApiKey,
  ApiKeyId,
  apiKeyNotFound,
  ApiKeyToReveal,
  CreateApiKey,
  keyRevoked,
  scopeEscalation,
  tooManyKeys,
  UpdateApiKey,
} from '@posthorn/contracts';
import type { DomainPage } from '../dialects/dialect.js';
import type { RouteRequest } from '../routes/route-request.js';
import { Delete, Get, Patch, Post } from '../routes/route.js';
import { ApiKeysService } from './api-keys.service.js';
import { KeyIssuance } from './key-issuance.js';

const path = 'projects/:projectId/api-keys';
const one = `${path}/:keyId`;

@Controller()
export class ApiKeysController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly issuance: KeyIssuance,
  ) {}

  @Get(path, {
    summary: 'List API keys, including revoked ones',
    scope: 'api-keys:read',
    listed: 'whole',
    reply: ApiKey,
  })
  async list({ caller, surface, listPage }: RouteRequest): Promise<DomainPage> {
    if (surface === 'v1') return this.keys.page(caller.projectId, listPage);
    return { items: await this.keys.list(caller.projectId), hasMore: false, next: null };
  }

  @Post(path, {
    summary: 'Create an API key; its secret is read once, through the returned link',
    scope: 'api-keys:write',
    body: CreateApiKey,
    reply: ApiKeyToReveal,
    success: 'created',
    errors: [scopeEscalation, tooManyKeys],
  })
  create({ caller, body }: RouteRequest<CreateApiKey>): Promise<ApiKeyToReveal> {
    return this.issuance.create(caller, body);
  }

  @Get(one, { summary: 'Get an API key', scope: 'api-keys:read', reply: ApiKey, missing: apiKeyNotFound })
  get({ caller, params }: RouteRequest): Promise<ApiKey> {
    return this.keys.get(caller.projectId, params['keyId']!);
  }

  @Patch(one, {
    summary: 'Change the name, the scopes or the confinement of an API key',
    scope: 'api-keys:write',
    body: UpdateApiKey,
    reply: ApiKey,
    missing: apiKeyNotFound,
    errors: [scopeEscalation, keyRevoked],
  })
  update({ caller, params, body }: RouteRequest<UpdateApiKey>): Promise<ApiKey> {
    return this.issuance.update(caller, params['keyId']!, body);
  }

  @Delete(one, {
    summary: 'Revoke an API key',
    scope: 'api-keys:write',
    reply: ApiKeyId,
    success: 'deleted',
    missing: apiKeyNotFound,
    whileDisabled: true,
  })
  revoke({ caller, params }: RouteRequest): Promise<ApiKeyId> {
    return this.keys.revoke(caller, params['keyId']!);
  }

  @Post(`${one}/rotate`, {
    summary: 'Rotate the secret of an API key; the old secret stops working immediately',
    scope: 'api-keys:write',
    body: null,
    reply: ApiKeyToReveal,
    missing: apiKeyNotFound,
    errors: [scopeEscalation, keyRevoked],
  })
  rotate({ caller, params }: RouteRequest): Promise<ApiKeyToReveal> {
    return this.issuance.rotate(caller, params['keyId']!);
  }
}
