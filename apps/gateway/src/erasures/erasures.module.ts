import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ErasuresHandlers } from './erasures.handlers.js';
import { ErasuresService } from './erasures.service.js';

@Module({
  imports: [AuditModule],
  controllers: [ErasuresHandlers],
  providers: [ErasuresService],
})
export class ErasuresModule {}
