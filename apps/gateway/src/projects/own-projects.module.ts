import { Module } from '@nestjs/common';
import { MembershipModule } from '../members/membership.module.js';
import { OwnProjectsService } from './own-projects.service.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectsModule } from './projects.module.js';

@Module({
  imports: [ProjectsModule, MembershipModule],
  controllers: [ProjectsController],
  providers: [OwnProjectsService],
  exports: [OwnProjectsService],
})
export class OwnProjectsModule {}
