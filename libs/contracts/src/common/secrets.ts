import { request } from '../schema/contract.js';
import { Count, Id, Nested, Nullable, Optional, Text } from '../schema/fields.js';

/** The row behind which the next batch goes on. */
export class SecretPosition {
  @Text(1, 64) table: string;
  @Id() projectId: string;
  @Id() id: string;
}

export class RotateSecrets {
  @Nested(() => SecretPosition) @Optional() after?: SecretPosition;
}

export class RotatedSecrets {
  /** What this batch has sealed under the current key. */
  @Count() rotated: number;
  /** Rows that none of the keys opens; they stay as they are. */
  @Count() unreadable: number;
  /** What still stands under another key, those included. */
  @Count() left: number;
  /** Null after the last batch. */
  @Nested(() => SecretPosition) @Nullable() next: SecretPosition | null;
}

export const secrets = {
  /** One batch: it can be stopped between any two, and begun again from the start. */
  rotate: request('gateway.secrets.rotate', RotateSecrets, RotatedSecrets),
  /** The same for the keys that sign. */
  rotateSending: request('sending.secrets.rotate', RotateSecrets, RotatedSecrets),
  /** The same for the addresses of erasures that are under way. */
  rotateContacts: request('contacts.secrets.rotate', RotateSecrets, RotatedSecrets),
};
