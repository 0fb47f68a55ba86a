import { Controller } from '@nestjs/common';
import {
  AddDomain,
  DeletedDomain,
  domainExists,
  domainInUse,
  domainNotFound,
  domainOfSandbox,
  domains,
  domainTaken,
  maxDomains,
  SendingDomain,
  tooManyDomains,
  UpdateDomain,
  type DomainPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { foreignProject } from '../edge/http/edge-errors.js';
import { Delete, Get, Patch, Post } from '../edge/routes/route.js';

/** Creating keys and querying name servers take time. */
const waiting = { timeoutMs: 15_000 };

@Controller()
export class DomainsController {
  constructor(private readonly bus: Bus) {}

  @Post('domains', {
    summary: 'Add a sending domain; returns its DNS records',
    scope: 'domains:write',
    body: AddDomain,
    reply: SendingDomain,
    success: 'created',
    errors: [foreignProject, domainExists, domainTaken, domainOfSandbox, tooManyDomains],
  })
  async add({ caller, body }: RouteRequest<AddDomain>): Promise<SendingDomain> {
    if (body.projectId !== undefined && body.projectId.toLowerCase() !== caller.projectId)
      throw foreignProject();
    return this.bus.call(domains.add, caller, body, waiting);
  }

  @Get('domains', {
    summary: 'List sending domains',
    scope: 'domains:read',
    listed: 'whole',
    reply: SendingDomain,
  })
  list({ caller, surface, listPage }: RouteRequest): Promise<DomainPage> {
    return this.bus.call(domains.list, caller, surface === 'legacy' ? { limit: maxDomains } : listPage);
  }

  @Get('domains/:id', {
    summary: 'Get a sending domain with its last check',
    scope: 'domains:read',
    reply: SendingDomain,
    missing: domainNotFound,
  })
  get({ caller, params }: RouteRequest): Promise<SendingDomain> {
    return this.bus.call(domains.get, caller, { id: params['id']! });
  }

  @Get('domains/:id/verify', {
    summary: 'Get the result of the last DNS check of a domain',
    scope: 'domains:read',
    reply: SendingDomain,
    missing: domainNotFound,
  })
  lastCheck(request: RouteRequest): Promise<SendingDomain> {
    return this.get(request);
  }

  @Post('domains/:id/verify', {
    summary: 'Check the DNS records of a domain now',
    scope: 'domains:write',
    body: null,
    reply: SendingDomain,
    missing: domainNotFound,
    errors: [domainTaken],
  })
  verify({ caller, params }: RouteRequest): Promise<SendingDomain> {
    return this.bus.call(domains.check, caller, { id: params['id']! }, waiting);
  }

  @Patch('domains/:id', {
    summary: 'Update a sending domain',
    scope: 'domains:write',
    body: UpdateDomain,
    reply: SendingDomain,
    missing: domainNotFound,
  })
  update({ caller, params, body }: RouteRequest<UpdateDomain>): Promise<SendingDomain> {
    return this.bus.call(domains.update, caller, { ...body, id: params['id']! });
  }

  @Delete('domains/:id', {
    summary: 'Remove a sending domain',
    scope: 'domains:write',
    reply: DeletedDomain,
    success: 'deleted',
    missing: domainNotFound,
    errors: [domainInUse],
  })
  delete({ caller, params }: RouteRequest): Promise<DeletedDomain> {
    return this.bus.call(domains.delete, caller, { id: params['id']! });
  }
}
