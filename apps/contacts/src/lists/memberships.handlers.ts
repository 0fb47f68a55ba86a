import { Controller } from '@nestjs/common';
import {
  memberships,
  type ConfirmedPlace,
  type ConfirmPlace,
  type SubscribeToList,
  type Subscription,
  type Unsubscribed,
  type UnsubscribeFromList,
} from '@posthorn/contracts';
import { Answers, type Incoming } from '@posthorn/messaging';
import { MembershipsService } from './memberships.service.js';

@Controller()
export class MembershipsHandlers {
  constructor(private readonly service: MembershipsService) {}

  @Answers(memberships.subscribe)
  subscribe(call: Incoming<SubscribeToList>): Promise<Subscription> {
    return this.service.subscribe(call);
  }

  @Answers(memberships.unsubscribe)
  unsubscribe(call: Incoming<UnsubscribeFromList>): Promise<Unsubscribed> {
    return this.service.unsubscribe(call);
  }

  @Answers(memberships.look)
  look(call: Incoming<ConfirmPlace>): Promise<ConfirmedPlace> {
    return this.service.look(call);
  }

  @Answers(memberships.confirm)
  confirm(call: Incoming<ConfirmPlace>): Promise<ConfirmedPlace> {
    return this.service.confirm(call);
  }
}
