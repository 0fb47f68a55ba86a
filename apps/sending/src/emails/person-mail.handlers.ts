import { Controller } from '@nestjs/common';
import {
  mailSummaries,
  personData,
  type AskMailMoments,
  type AskMailSummaries,
  type AskPersonMail,
  type MailMoments,
  type MailSummaries,
  type PersonMail,
} from '@posthorn/contracts';
import { Answers, type Incoming } from '@posthorn/messaging';
import { MailSummariesReadModel } from './mail-summaries.read-model.js';
import { PersonMailService } from './person-mail.service.js';

@Controller()
export class PersonMailHandlers {
  constructor(
    private readonly service: PersonMailService,
    private readonly summaries: MailSummariesReadModel,
  ) {}

  @Answers(personData.mail)
  mail({ caller, body }: Incoming<AskPersonMail>): Promise<PersonMail> {
    return this.service.of(caller.projectId, body);
  }

  @Answers(personData.moments)
  moments({ caller, body }: Incoming<AskMailMoments>): Promise<MailMoments> {
    return this.service.moments(caller.projectId, body);
  }

  @Answers(mailSummaries.of)
  summariesOf({ caller, body }: Incoming<AskMailSummaries>): Promise<MailSummaries> {
    return this.summaries.of(caller.projectId, body.emails);
  }
}
