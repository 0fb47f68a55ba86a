import { Controller } from '@nestjs/common';
import { AuditEntry, AuditFilter } from '@posthorn/contracts';
import type { Page } from '@posthorn/database';
import type { RouteRequest } from '../routes/route-request.js';
import { Get } from '../routes/route.js';
import { Audit } from './audit.js';

@Controller()
export class AuditController {
  constructor(private readonly audit: Audit) {}

  @Get('audit-log', {
    summary: 'List audit log entries, newest first',
    scope: 'projects:read',
    roles: ['OWNER', 'ADMIN'],
    query: AuditFilter,
    listed: 'items',
    reply: AuditEntry,
  })
  list({ caller, query, listPage }: RouteRequest<object, AuditFilter>): Promise<Page<AuditEntry>> {
    return this.audit.list(caller.projectId, { ...query, ...listPage });
  }
}
