import { createHash } from 'node:crypto';
import { outboundRefusals } from '@posthorn/outbound';
import { uuidOf } from '../../events/uuid-of-bytes.js';

export interface Origin {
  endpointId: string;
  error: string | null;
}

/** All calls of a project to one origin share a turn. */
export function originOf({ projectId, url }: { projectId: string; url: string }): Origin {
  const origin = URL.canParse(url) ? new URL(url).origin : '';
  const isUsable = /^https?:/.test(origin);
  const error = isUsable ? null : `The URL ${outboundRefusals[origin === '' ? 'url' : 'scheme']}`;
  const bytes = createHash('sha256').update(`${projectId} ${origin}`).digest().subarray(0, 16);
  return { endpointId: uuidOf(bytes, 8), error };
}
