import { ProjectCountRow } from '@posthorn/database';
import { messagingEntities } from '@posthorn/messaging';
import { workEntities } from '@posthorn/work';
import { StepRow, TransitionRow } from './graphs/graph.entity.js';
import { WebhookRow } from './webhooks/webhook.entity.js';
import { WorkflowRow } from './workflows/workflow.entity.js';
import { baseline } from './migrations/1767000000000-baseline.js';

export const entities = [
  WorkflowRow,
  StepRow,
  TransitionRow,
  WebhookRow,
  ProjectCountRow,
  ...messagingEntities,
  ...workEntities,
];

export const migrations = [baseline];
