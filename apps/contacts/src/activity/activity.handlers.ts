import { Controller } from '@nestjs/common';
import {
  activity,
  personData,
  type ActivityPage,
  type GetPersonPart,
  type ListActivity,
  type PersonPartPage,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ActivityService } from './activity.service.js';
import { PersonDataService } from './person-data.service.js';

@Controller()
export class ActivityHandlers {
  constructor(
    private readonly service: ActivityService,
    private readonly people: PersonDataService,
  ) {}

  @Handles(activity.list)
  list({ caller, body }: Incoming<ListActivity>): Promise<ActivityPage> {
    return this.service.list(caller.projectId, body);
  }

  @Handles(personData.part)
  data({ caller, body }: Incoming<GetPersonPart>): Promise<PersonPartPage> {
    return this.people.part(caller.projectId, body);
  }
}
