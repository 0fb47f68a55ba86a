import { Controller } from '@nestjs/common';
import { activity, personData, type ActivityPage, type AskPersonPart, type ListActivity, type PersonPartPage } from '@posthorn/contracts';
import { Answers, type Incoming } from '@posthorn/messaging';
import { ActivityService } from './activity.service.js';
import { PersonDataService } from './person-data.service.js';

@Controller()
export class ActivityHandlers {
  constructor(
    private readonly service: ActivityService,
    private readonly people: PersonDataService,
  ) {}

  @Answers(activity.list)
  list({ caller, body }: Incoming<ListActivity>): Promise<ActivityPage> {
    return this.service.list(caller.projectId, body);
  }

  @Answers(personData.part)
  data({ caller, body }: Incoming<AskPersonPart>): Promise<PersonPartPage> {
    return this.people.part(caller.projectId, body);
  }
}
