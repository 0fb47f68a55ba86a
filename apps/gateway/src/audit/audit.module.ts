import { Module } from '@nestjs/common';
import { Audit } from './audit.js';
import { AuditEntriesRepository } from './audit-entries.repository.js';
import { AuditController } from './audit.controller.js';

@Module({
  controllers: [AuditController],
  providers: [Audit, AuditEntriesRepository],
  exports: [Audit, AuditEntriesRepository],
})
export class AuditModule {}
