import { ProjectCountRow } from '@posthorn/database';
import { messagingEntities } from '@posthorn/messaging';
import { workEntities } from '@posthorn/work';
import { CreateWorkflows1763800000000 } from './migrations/1763800000000-create-workflows.js';
import { RepairWorkflowsMessaging1763800100000 } from './migrations/1763800100000-repair-messaging.js';
import { TraceWorkflowsFacts1763900000000 } from './migrations/1763900000000-trace-facts.js';
import { AttributeWorkflowsFacts1764200000000 } from './migrations/1764200000000-attribute-facts.js';
import { QuarantineWorkflowsEvents1764600000000 } from './migrations/1764600000000-quarantine-events.js';
import { ExecuteWorkflows1766100000000 } from './migrations/1766100000000-execute-workflows.js';
import { CreateWebhooks1766200000000 } from './migrations/1766200000000-create-webhooks.js';
import { LendAuthority1766600000000 } from './migrations/1766600000000-lend-authority.js';
import { InstantsOfWaits1766600100000 } from './migrations/1766600100000-instants-of-waits.js';
import { RenderApart1766600200000 } from './migrations/1766600200000-render-apart.js';
import { Causes1766600400000 } from './migrations/1766600400000-causes.js';
import { RetentionOfExecutions1766600500000 } from './migrations/1766600500000-retention-of-executions.js';
import { IndexLargeWorkflowTables1766600600000 } from './migrations/1766600600000-index-large-tables.js';
import { StepRow, TransitionRow } from './graphs/graph.entity.js';
import { WebhookRow } from './webhooks/webhook.entity.js';
import { WorkflowRow } from './workflows/workflow.entity.js';

export const entities = [
  WorkflowRow,
  StepRow,
  TransitionRow,
  WebhookRow,
  ProjectCountRow,
  ...messagingEntities,
  ...workEntities,
];

export const migrations = [
  CreateWorkflows1763800000000,
  RepairWorkflowsMessaging1763800100000,
  TraceWorkflowsFacts1763900000000,
  AttributeWorkflowsFacts1764200000000,
  QuarantineWorkflowsEvents1764600000000,
  ExecuteWorkflows1766100000000,
  CreateWebhooks1766200000000,
  LendAuthority1766600000000,
  InstantsOfWaits1766600100000,
  RenderApart1766600200000,
  Causes1766600400000,
  RetentionOfExecutions1766600500000,
  IndexLargeWorkflowTables1766600600000,
];
