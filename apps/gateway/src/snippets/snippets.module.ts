import { Module } from '@nestjs/common';
import { SnippetsController } from './snippets.controller.js';

@Module({
  controllers: [SnippetsController],
})
export class SnippetsModule {}
