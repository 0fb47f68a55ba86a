import { Controller } from '@nestjs/common';
import { secrets, type RotatedSecrets, type RotateSecrets } from '@posthorn/contracts';
import { Answers, type Incoming } from '@posthorn/messaging';
import { SecretsService } from './secrets.service.js';

@Controller()
export class SecretsHandlers {
  constructor(private readonly secrets: SecretsService) {}

  @Answers(secrets.rotate)
  rotate({ body }: Incoming<RotateSecrets>): Promise<RotatedSecrets> {
    return this.secrets.rotate(body.after);
  }
}
