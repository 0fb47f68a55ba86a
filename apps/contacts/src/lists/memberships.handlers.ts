import { Controller } from '@nestjs/common';
import {
  memberships,
  type ConfirmedTarget,
  type ConfirmTarget,
  type ConfirmUrls,
  type MembershipIds,
  type SubscribeToList,
  type Subscription,
  type Unsubscribed,
  type UnsubscribeFromList,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { MembershipsService } from './memberships.service.js';

@Controller()
export class MembershipsHandlers {
  constructor(private readonly service: MembershipsService) {}

  @Handles(memberships.subscribe)
  subscribe(call: Incoming<SubscribeToList>): Promise<Subscription> {
    return this.service.subscribe(call);
  }

  @Handles(memberships.unsubscribe)
  unsubscribe(call: Incoming<UnsubscribeFromList>): Promise<Unsubscribed> {
    return this.service.unsubscribe(call);
  }

  @Handles(memberships.confirmUrls)
  confirmUrls({ caller, body }: Incoming<MembershipIds>): Promise<ConfirmUrls> {
    return this.service.confirmUrls(caller.projectId, body);
  }

  @Handles(memberships.look)
  look(call: Incoming<ConfirmTarget>): Promise<ConfirmedTarget> {
    return this.service.look(call);
  }

  @Handles(memberships.confirm)
  confirm(call: Incoming<ConfirmTarget>): Promise<ConfirmedTarget> {
    return this.service.confirm(call);
  }
}
