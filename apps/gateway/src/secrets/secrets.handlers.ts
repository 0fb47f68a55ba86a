import { Controller } from '@nestjs/common';
import { secrets, type RotatedSecrets, type RotateSecrets } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Resealing } from '@posthorn/platform';

@Controller()
export class SecretsHandlers {
  constructor(private readonly resealing: Resealing) {}

  @Handles(secrets.rotate)
  rotate({ body }: Incoming<RotateSecrets>): Promise<RotatedSecrets> {
    return this.resealing.rotate(body.after);
  }
}
