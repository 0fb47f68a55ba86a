import { Controller } from '@nestjs/common';
import { optOuts, type PutOptOuts, type PutOptOutsReceipt } from '@posthorn/contracts';
import { answerEach, Handles, type Incoming } from '@posthorn/messaging';
import { OptOutsService } from './opt-outs.service.js';

@Controller()
export class OptOutsHandlers {
  constructor(private readonly service: OptOutsService) {}

  @Handles(optOuts.put)
  put(calls: Incoming<PutOptOuts>[]): Promise<(PutOptOutsReceipt | Error)[]> {
    return answerEach(calls, (call) => this.service.put(call));
  }
}
