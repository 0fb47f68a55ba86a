import { Module } from '@nestjs/common';
import { WorkflowGraphsController } from './workflow-graphs.controller.js';
import { WorkflowsController } from './workflows.controller.js';

@Module({
  controllers: [WorkflowsController, WorkflowGraphsController],
})
export class WorkflowsModule {}
