import { Module } from '@nestjs/common';
import { Rendering } from './rendering.js';

@Module({
  providers: [Rendering],
  exports: [Rendering],
})
export class RenderingModule {}
