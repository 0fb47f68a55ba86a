import { Controller } from '@nestjs/common';
import {
  workflowDocuments,
  workflows,
  type CreateWorkflow,
  type DeletedWorkflow,
  type ExportedWorkflow,
  type ImportWorkflow,
  type ListWorkflows,
  type ResumedWorkflow,
  type UpdateWorkflowById,
  type Workflow,
  type WorkflowId,
  type WorkflowPage,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ChangesService } from './changes.service.js';
import { DocumentsService } from './documents.service.js';
import { WorkflowsService } from './workflows.service.js';

@Controller()
export class WorkflowsHandlers {
  constructor(
    private readonly service: WorkflowsService,
    private readonly changes: ChangesService,
    private readonly documents: DocumentsService,
  ) {}

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
    return this.changes.update(call);
  }

  @Handles(workflows.delete)
  delete(call: Incoming<WorkflowId>): Promise<DeletedWorkflow> {
    return this.changes.delete(call);
  }

  @Handles(workflows.clone)
  clone(call: Incoming<WorkflowId>): Promise<Workflow> {
    return this.service.clone(call);
  }

  @Handles(workflows.resume)
  resume(call: Incoming<WorkflowId>): Promise<ResumedWorkflow> {
    return this.changes.resume(call);
  }

  @Handles(workflows.pause)
  pause(call: Incoming<WorkflowId>): Promise<ResumedWorkflow> {
    return this.changes.pause(call);
  }

  @Handles(workflowDocuments.export)
  export({ caller, body }: Incoming<WorkflowId>): Promise<ExportedWorkflow> {
    return this.documents.export(caller.projectId, body.id);
  }

  @Handles(workflowDocuments.import)
  import(call: Incoming<ImportWorkflow>): Promise<Workflow> {
    return this.documents.import(call);
  }
}
