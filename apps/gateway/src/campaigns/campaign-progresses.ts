import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { campaignRecipients, type Caller, type CampaignProgress } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { EventStream } from '../routes/event-stream.js';

const checkEveryMs = 500;
/** Proxies close a connection that is silent for long, and the credential is checked with each event. */
const checksPerKeepAlive = 4;
/** About ten minutes; browsers reconnect by themselves. */
const maxChecks = 1_200;

@Injectable()
export class CampaignProgresses {
  constructor(private readonly bus: Bus) {}

  follow(first: CampaignProgress, caller: Caller): EventStream {
    return new EventStream(this.statesOf(first, caller));
  }

  private async *statesOf(first: CampaignProgress, caller: Caller): AsyncGenerator<CampaignProgress | null> {
    let progress = first;
    yield progress;
    for (let checks = 1; isUnderWay(progress) && checks < maxChecks; checks += 1) {
      await delay(checkEveryMs, undefined, { ref: false });
      const now = await this.bus.call(campaignRecipients.progress, caller, { id: progress.id });
      const hasChanged =
        now.done !== progress.done || now.total !== progress.total || now.status !== progress.status;
      if (hasChanged) yield now;
      else if (checks % checksPerKeepAlive === 0) yield null;
      progress = now;
    }
  }
}

const isUnderWay = ({ status }: CampaignProgress): boolean =>
  status === 'SCHEDULED' || status === 'SENDING' || status === 'PAUSED';
