import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { purgeOf, WorkQueue } from '@posthorn/work';
import { DomainsModule } from '../domains/domains.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { AddressChecks } from './address-checks.js';
import { EmailValidationsRepository } from './email-validations.repository.js';
import { EmailValidationsService } from './email-validations.service.js';
import { FileValidations } from './file-validations.js';
import { FileValidationsRepository, ValidationPiecesRepository } from './file-validations.repository.js';
import { FileValidationsWork } from './file-validations.work.js';
import { MailHosts } from './mail-hosts.js';

@Module({
  imports: [DomainsModule, SuppressionsModule],
  providers: [
    ...onDatabase([EmailValidationsRepository, ValidationPiecesRepository]),
    ...onDatabase([FileValidationsRepository], WorkQueue),
    AddressChecks,
    EmailValidationsService,
    FileValidations,
    FileValidationsWork,
    MailHosts,
    purgeOf('sending.old-validations', EmailValidationsRepository, (validations) =>
      validations.deleteOld(5_000),
    ),
  ],
})
export class ValidationModule {}
