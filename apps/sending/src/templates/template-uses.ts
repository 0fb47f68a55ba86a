import { Injectable } from '@nestjs/common';
import { templateInUse, templateUses, type Caller } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';

const time = { timeoutShare: 0.45 };

/** Campaigns and workflows are queried at deletion; without their answers nothing is deleted. */
@Injectable()
export class TemplateUses {
  constructor(private readonly bus: Bus) {}

  async refuseUsed(caller: Caller, id: string): Promise<void> {
    const answers = await Promise.all(
      Object.values(templateUses).map((contract) => this.bus.call(contract, caller, { id }, time)),
    );
    if (answers.some(({ used }) => used)) throw templateInUse();
  }
}
