import { hash } from 'node:crypto';
import { bytesOf, SignedBytes, uuidAt, uuidBytes } from '../message/signed-bytes.js';

/** Which membership of a list a confirm link is for. */
export interface ConfirmTokenTarget {
  projectId: string;
  membershipId: string;
  /** Rises whenever the membership begins to wait anew: a link of an earlier time is none of this one. */
  round: number;
}

const macBytes = 16;
const roundBytes = 4;
const signedBytes = 2 * uuidBytes + roundBytes;

/**
 * What confirm links bear. While a membership waits its token is one and the same: whoever asks again cannot spoil a link that
 * is on its way to the person, and nothing that is stored could make one.
 */
export class ConfirmTokens {
  private readonly bytes: SignedBytes;

  constructor(secretKeys: readonly string[]) {
    this.bytes = new SignedBytes(secretKeys, {
      label: 'posthorn:confirm-subscription',
      macBytes,
      longest: signedBytes,
    });
  }

  /** By every key of the ring: what was handed out before a key changed is still the membership's. The first one is the present. */
  of({ projectId, membershipId, round }: ConfirmTokenTarget): string[] {
    const count = Buffer.alloc(roundBytes);
    count.writeUInt32BE(round);
    return this.bytes.writings(Buffer.concat([bytesOf(projectId), bytesOf(membershipId), count]));
  }

  /** Null for whatever is not exactly a token of ours, whatever is wrong with it. */
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

  /** What is stored of one. */
  static hashOf(token: string): string {
    return hash('sha256', token, 'hex');
  }
}
