import { createHash } from 'node:crypto';
import { eventIdMalformed, eventIdOfAnother } from '@posthorn/contracts';

/** Of one stream of the bus. */
export interface Place {
  epoch: string;
  /** All messages up to it are taken. */
  sequence: number;
  /** Of the next message, how many items are taken. */
  items: number;
}

/** Where a reader is in each of the followed streams, in their order. */
export type StreamPosition = readonly Place[];

const version = 1;
const projectBytes = 4;
const epochBytes = 4;
const sequenceBytes = 6;
const placeBytes = epochBytes + sequenceBytes + 2;
const alphabet = /^[A-Za-z0-9_-]+$/;

const projectMark = (projectId: string): Buffer =>
  createHash('sha256').update(projectId).digest().subarray(0, projectBytes);

/** The same in every process, because the server counts. The project in it only makes a mistake visible. */
export function encodePosition(projectId: string, position: StreamPosition): string {
  const bytes = Buffer.alloc(1 + projectBytes + position.length * placeBytes);
  bytes[0] = version;
  projectMark(projectId).copy(bytes, 1);
  position.forEach(({ epoch, sequence, items }, index) => {
    const at = 1 + projectBytes + index * placeBytes;
    bytes.write(epoch, at, 'hex');
    bytes.writeUIntBE(sequence, at + epochBytes, sequenceBytes);
    bytes.writeUInt16BE(items, at + epochBytes + sequenceBytes);
  });
  return bytes.toString('base64url');
}

export function decodePosition(projectId: string, text: string, streams: number): StreamPosition {
  const bytes = alphabet.test(text) ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  if (bytes.length !== 1 + projectBytes + streams * placeBytes || bytes[0] !== version)
    throw eventIdMalformed();
  if (!bytes.subarray(1, 1 + projectBytes).equals(projectMark(projectId))) throw eventIdOfAnother();
  return Array.from({ length: streams }, (_, index) => {
    const at = 1 + projectBytes + index * placeBytes;
    return {
      epoch: bytes.toString('hex', at, at + epochBytes),
      sequence: bytes.readUIntBE(at + epochBytes, sequenceBytes),
      items: bytes.readUInt16BE(at + epochBytes + sequenceBytes),
    };
  });
}
