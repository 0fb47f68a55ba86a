import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { purgeOf } from '@posthorn/work';
import { DomainsModule } from '../domains/domains.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { AddressChecks } from './address-checks.js';
import { EmailValidationsRepository } from './email-validations.repository.js';
import { EmailValidationsService } from './email-validations.service.js';
import { MailHosts } from './mail-hosts.js';

@Module({
  imports: [DomainsModule, SuppressionsModule],
  providers: [
    ...onDatabase([EmailValidationsRepository]),
    AddressChecks,
    EmailValidationsService,
    MailHosts,
    purgeOf('sending.old-validations', EmailValidationsRepository, (validations) =>
      validations.deleteOld(500),
    ),
  ],
})
export class ValidationModule {}
