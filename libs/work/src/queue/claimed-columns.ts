export interface WorkItem<Payload extends object = object> {
  readonly id: string;
  readonly projectId: string;
  readonly key: string | null;
  readonly payload: Payload;
  readonly createdAt: Date;
  readonly failures: number;
}

export interface ClaimedItem<Payload extends object = object> extends WorkItem<Payload> {
  payload: Payload;
  readonly leaseToken: number;
  readonly claims: number;
  readonly traces: string | null;
}

export const claimedColumns = `w.id, w.project_id AS "projectId", w.key, w.payload, w.failures, w.claims, w.lease_token AS "leaseToken", w.traces, w.created_at AS "createdAt"`;

/** The item as it was before its claim; a suspect stays one. */
export const releasedColumns = (state: string): string =>
  `worker_id = NULL, lease_token = w.lease_token + 1, claims = greatest(w.claims - 1, 0), state = CASE WHEN w.claims > 1 THEN 'SUSPECT' ELSE ${state} END`;
