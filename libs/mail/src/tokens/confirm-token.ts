import { hash } from 'node:crypto';
import { bytesOf, SignedBytes, uuidAt, uuidBytes } from '../message/signed-bytes.js';

export interface ConfirmTokenTarget {
  projectId: string;
  membershipId: string;
  /** Rises with each new wait for confirmation, which invalidates earlier links. */
  round: number;
}

const macBytes = 16;
const roundBytes = 4;
const signedBytes = 2 * uuidBytes + roundBytes;

/** The same while a membership waits, so that asking again does not invalidate a link in transit. */
export class ConfirmTokens {
  private readonly bytes: SignedBytes;

  constructor(secretKeys: readonly string[]) {
    this.bytes = new SignedBytes(secretKeys, {
      label: 'posthorn:confirm-subscription',
      macBytes,
      longest: signedBytes,
    });
  }

  /** One for each key of the ring, the current one first: tokens from before a rotation stay valid. */
  of({ projectId, membershipId, round }: ConfirmTokenTarget): string[] {
    const count = Buffer.alloc(roundBytes);
    count.writeUInt32BE(round);
    return this.bytes.tokensOfEachKey(Buffer.concat([bytesOf(projectId), bytesOf(membershipId), count]));
  }

  read(token: string): (ConfirmTokenTarget & { tokenHash: string }) | null {
    const text = this.bytes.read(token);
    if (text?.length !== signedBytes) return null;
    return {
      projectId: uuidAt(text, 0),
      membershipId: uuidAt(text, uuidBytes),
      round: text.readUInt32BE(2 * uuidBytes),
      tokenHash: ConfirmTokens.hashOf(token),
    };
  }

  static hashOf(token: string): string {
    return hash('sha256', token, 'hex');
  }
}
