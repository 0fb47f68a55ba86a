import { Controller } from '@nestjs/common';
import { activity, type ActivityPage, type ListActivity } from '@posthorn/contracts';
import { Answers, type Incoming } from '@posthorn/messaging';
import { ActivityService } from './activity.service.js';

@Controller()
export class ActivityHandlers {
  constructor(private readonly service: ActivityService) {}

  @Answers(activity.list)
  list({ caller, body }: Incoming<ListActivity>): Promise<ActivityPage> {
    return this.service.list(caller.projectId, body);
  }
}
