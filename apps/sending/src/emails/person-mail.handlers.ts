import { Controller } from '@nestjs/common';
import { personData, type AskPersonMail, type PersonMail } from '@posthorn/contracts';
import { Answers, type Incoming } from '@posthorn/messaging';
import { PersonMailService } from './person-mail.service.js';

@Controller()
export class PersonMailHandlers {
  constructor(private readonly service: PersonMailService) {}

  @Answers(personData.mail)
  mail({ caller, body }: Incoming<AskPersonMail>): Promise<PersonMail> {
    return this.service.of(caller.projectId, body.email);
  }
}
