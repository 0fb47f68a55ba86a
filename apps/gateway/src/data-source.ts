import { DeadLetter, InboxRow, OutboxRow } from '@posthorn/messaging';
import { ApiKeyRow } from './api-keys/api-key.entity.js';
import { CreateGateway1763700000000 } from './migrations/1763700000000-create-gateway.js';
import { ProjectRow } from './projects/project.entity.js';

export const entities = [ProjectRow, ApiKeyRow, OutboxRow, InboxRow, DeadLetter];
export const migrations = [CreateGateway1763700000000];
