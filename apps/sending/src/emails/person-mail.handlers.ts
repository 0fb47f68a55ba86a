import { Controller } from '@nestjs/common';
import {
  mailSummaries,
  personData,
  type GetMailTimes,
  type GetMailSummaries,
  type GetPersonMail,
  type MailTimes,
  type MailSummaries,
  type PersonMail,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { MailSummariesReadModel } from './mail-summaries.read-model.js';
import { PersonMailService } from './person-mail.service.js';

@Controller()
export class PersonMailHandlers {
  constructor(
    private readonly service: PersonMailService,
    private readonly summaries: MailSummariesReadModel,
  ) {}

  @Handles(personData.mail)
  mail({ caller, body }: Incoming<GetPersonMail>): Promise<PersonMail> {
    return this.service.of(caller.projectId, body);
  }

  @Handles(personData.moments)
  times({ caller, body }: Incoming<GetMailTimes>): Promise<MailTimes> {
    return this.service.times(caller.projectId, body);
  }

  @Handles(mailSummaries.of)
  summariesOf({ caller, body }: Incoming<GetMailSummaries>): Promise<MailSummaries> {
    return this.summaries.of(caller.projectId, body.emails);
  }
}
