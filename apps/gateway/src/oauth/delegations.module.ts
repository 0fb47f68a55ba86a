import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { DelegationsRepository } from './delegations.repository.js';
import { DelegationsService } from './delegations.service.js';

@Module({
  imports: [AuditModule],
  providers: [DelegationsService, DelegationsRepository],
  exports: [DelegationsService, DelegationsRepository],
})
export class DelegationsModule {}
