import { Module } from '@nestjs/common';
import { Accepting } from './accepting.js';
import { EmailsController } from './emails.controller.js';

@Module({
  controllers: [EmailsController],
  providers: [Accepting],
  exports: [Accepting],
})
export class EmailsModule {}
