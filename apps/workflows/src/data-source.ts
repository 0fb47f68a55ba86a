import { ProjectCountRow } from '@posthorn/database';
import { DeadLetter, InboxRow, OutboxRow } from '@posthorn/messaging';
import { CreateWorkflows1763800000000 } from './migrations/1763800000000-create-workflows.js';
import { StepRow, TransitionRow } from './workflows/graph.entity.js';
import { WorkflowRow } from './workflows/workflow.entity.js';

export const entities = [WorkflowRow, StepRow, TransitionRow, ProjectCountRow, OutboxRow, InboxRow, DeadLetter];

export const migrations = [CreateWorkflows1763800000000];
