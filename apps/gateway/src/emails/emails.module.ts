import { Module } from '@nestjs/common';
import { Accepting } from './accepting.js';
import { EmailsController } from './emails.controller.js';
import { ExplanationsController } from './explanations.controller.js';
import { SendsService } from './sends.service.js';

@Module({
  controllers: [EmailsController, ExplanationsController],
  providers: [Accepting, SendsService],
  exports: [Accepting],
})
export class EmailsModule {}
