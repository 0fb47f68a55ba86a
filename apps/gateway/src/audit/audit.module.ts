import { Module } from '@nestjs/common';
import { Audit } from './audit.js';
import { AuditEntriesRepository } from './audit-entries.repository.js';
import { AuditController } from './audit.controller.js';
import { AuditSubscribers } from './audit.subscribers.js';

@Module({
  controllers: [AuditController],
  providers: [Audit, AuditEntriesRepository, AuditSubscribers],
  exports: [Audit, AuditEntriesRepository],
})
export class AuditModule {}
