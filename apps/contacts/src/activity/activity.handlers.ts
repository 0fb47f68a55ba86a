import { Controller } from '@nestjs/common';
import { activity, personData, type ActivityPage, type ContactId, type ListActivity, type PersonData } from '@posthorn/contracts';
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

  @Answers(personData.get)
  data({ caller, body }: Incoming<ContactId>): Promise<PersonData> {
    return this.people.get(caller.projectId, body.id);
  }
}
