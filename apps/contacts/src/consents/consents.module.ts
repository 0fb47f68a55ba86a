import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ContactWritesModule } from '../contacts/writes/contact-writes.module.js';
import { ConsentsRepository } from './consents.repository.js';
import { ConsentsService } from './consents.service.js';

@Module({
  imports: [ContactWritesModule],
  providers: [...onDatabase([ConsentsRepository]), ConsentsService],
  exports: [ConsentsRepository],
})
export class ConsentsModule {}
