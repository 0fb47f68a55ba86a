export const claimedColumns = `w.id, w.project_id AS "projectId", w.key, w.payload, w.failures, w.claims, w.lease_token AS "leaseToken", w.traces, w.created_at AS "createdAt"`;

/** The item as it was before its claim; a suspect stays one. */
export const releasedColumns = (state: string): string =>
  `worker_id = NULL, lease_token = w.lease_token + 1, claims = greatest(w.claims - 1, 0), state = CASE WHEN w.claims > 1 THEN 'SUSPECT' ELSE ${state} END`;
