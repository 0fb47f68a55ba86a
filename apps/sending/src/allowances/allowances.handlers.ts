import { Controller } from '@nestjs/common';
import { allowances, type Allowance, type SetAllowance } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { AllowancesRepository } from './allowances.repository.js';

@Controller()
export class AllowancesHandlers {
  constructor(private readonly allowances: AllowancesRepository) {}

  @Handles(allowances.set)
  async set({ caller, body }: Incoming<SetAllowance>): Promise<Allowance> {
    await this.allowances.set(
      caller.projectId,
      body.category,
      body.monthly === 'none' ? null : Number(body.monthly),
    );
    return { ...body };
  }
}
