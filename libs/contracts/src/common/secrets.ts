import { request } from '../schema/contract.js';
import { Count, Id, Nested, Nullable, Optional, Text } from '../schema/fields.js';

export class SecretPosition {
  @Text(1, 64) table: string;
  @Id() projectId: string;
  @Id() id: string;
}

export class RotateSecrets {
  @Nested(() => SecretPosition) @Optional() after?: SecretPosition;
}

export class RotatedSecrets {
  @Count() rotated: number;
  /** Rows that no configured key can decrypt; they are unchanged. */
  @Count() unreadable: number;
  /** Rows still encrypted under another key, including the unreadable ones. */
  @Count() left: number;
  @Nested(() => SecretPosition) @Nullable() next: SecretPosition | null;
}

export const secrets = {
  /** One batch; can be stopped after any batch and started over. */
  rotate: request('gateway.secrets.rotate', RotateSecrets, RotatedSecrets),
  rotateSending: request('sending.secrets.rotate', RotateSecrets, RotatedSecrets),
  rotateContacts: request('contacts.secrets.rotate', RotateSecrets, RotatedSecrets),
  rotateWorkflows: request('workflows.secrets.rotate', RotateSecrets, RotatedSecrets),
};
