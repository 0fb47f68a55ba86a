import { Injectable } from '@nestjs/common';
import { templateInUse, templateUses, type Caller } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';

// The gateway waits 1.7 s for the whole answer.
const callMs = 800;

/** Campaigns and workflows are queried at deletion; without their answers nothing is deleted. */
@Injectable()
export class TemplateUses {
  constructor(private readonly bus: Bus) {}

  async refuseUsed(caller: Caller, id: string): Promise<void> {
    const answers = await Promise.all(
      Object.values(templateUses).map((contract) =>
        this.bus.call(contract, caller, { id }, { timeoutMs: callMs }),
      ),
    );
    if (answers.some(({ used }) => used)) throw templateInUse();
  }
}
