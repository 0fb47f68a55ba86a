import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ErasuresService } from './erasures.service.js';

@Module({
  imports: [AuditModule],
  providers: [ErasuresService],
})
export class ErasuresModule {}
