import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { RenderingModule } from '../rendering/rendering.module.js';
import { SnippetsRepository } from './snippets.repository.js';
import { SnippetsService } from './snippets.service.js';

@Module({
  imports: [RenderingModule],
  providers: [...onDatabase([SnippetsRepository]), SnippetsService],
  exports: [SnippetsRepository],
})
export class SnippetsModule {}
