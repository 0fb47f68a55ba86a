import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { RenderingModule } from '../rendering/rendering.module.js';
import { SnippetsHandlers } from './snippets.handlers.js';
import { SnippetsRepository } from './snippets.repository.js';
import { SnippetsService } from './snippets.service.js';

@Module({
  imports: [RenderingModule],
  controllers: [SnippetsHandlers],
  providers: [...onDatabase([SnippetsRepository]), SnippetsService],
  exports: [SnippetsRepository],
})
export class SnippetsModule {}
