import { createHash } from 'node:crypto';
import { outboundRefusals } from '@posthorn/outbound';
import type { StepCall } from './step-calls.repository.js';

export interface Origin {
  endpointId: string;
  /** Why it cannot be called at all. */
  error: string | null;
}

/** All calls of a project to one origin share a turn. */
export function originOf({ projectId, url }: StepCall): Origin {
  const origin = URL.canParse(url) ? new URL(url).origin : '';
  const isUsable = /^https?:/.test(origin);
  const error = isUsable ? null : `The URL ${outboundRefusals[origin === '' ? 'url' : 'scheme']}`;
  return { endpointId: idOf(`${projectId} ${origin}`), error };
}

/** A UUIDv8 (RFC 9562 §5.8). */
function idOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
