import { Controller } from '@nestjs/common';
import {
  workflows,
  type CreateWorkflow,
  type DeletedWorkflow,
  type ListWorkflows,
  type UpdateWorkflowById,
  type Workflow,
  type WorkflowId,
  type WorkflowPage,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { WorkflowsService } from './workflows.service.js';

@Controller()
export class WorkflowsHandlers {
  constructor(private readonly service: WorkflowsService) {}

  @Handles(workflows.create)
  create(call: Incoming<CreateWorkflow>): Promise<Workflow> {
    return this.service.create(call);
  }

  @Handles(workflows.get)
  get({ caller, body }: Incoming<WorkflowId>): Promise<Workflow> {
    return this.service.get(caller.projectId, body.id);
  }

  @Handles(workflows.list)
  list({ caller, body }: Incoming<ListWorkflows>): Promise<WorkflowPage> {
    return this.service.list(caller.projectId, body);
  }

  @Handles(workflows.update)
  update(call: Incoming<UpdateWorkflowById>): Promise<Workflow> {
    return this.service.update(call);
  }

  @Handles(workflows.delete)
  delete(call: Incoming<WorkflowId>): Promise<DeletedWorkflow> {
    return this.service.delete(call);
  }

  @Handles(workflows.clone)
  clone(call: Incoming<WorkflowId>): Promise<Workflow> {
    return this.service.clone(call);
  }
}
