import { Module } from '@nestjs/common';
import { SystemMailsModule } from '../system-mails/system-mails.module.js';
import { DomainMails } from './domain-mails.js';
import { DomainsSubscribers } from './domains.subscribers.js';
import { OwnersReadModel } from './owners.read-model.js';

@Module({
  imports: [SystemMailsModule],
  providers: [DomainMails, OwnersReadModel, DomainsSubscribers],
  exports: [OwnersReadModel],
})
export class DomainsModule {}
