import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { AcceptingModule } from '../accepting/accepting.module.js';
import { ComposingModule } from '../composing/composing.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { EmailsRepository } from './emails.repository.js';
import { EmailsService } from './emails.service.js';
import { MailFactsReadModel } from './mail-facts.read-model.js';
import { MailHistoryReadModel } from './mail-history.read-model.js';
import { MailSummariesReadModel } from './mail-summaries.read-model.js';
import { PersonMailService } from './person-mail.service.js';
import { SentContents } from './sent-contents.js';
import { SentContentsRepository } from './sent-contents.repository.js';
import { SystemContentsRepository } from './system-contents.repository.js';
import { SystemContentsWork } from './system-contents.work.js';

@Module({
  imports: [AcceptingModule, ComposingModule, SuppressionsModule],
  providers: [
    ...onDatabase([
      EmailsRepository,
      MailFactsReadModel,
      MailHistoryReadModel,
      MailSummariesReadModel,
      SentContentsRepository,
      SystemContentsRepository,
    ]),
    EmailsService,
    PersonMailService,
    SentContents,
    SystemContentsWork,
  ],
  exports: [EmailsRepository],
})
export class EmailsModule {}
