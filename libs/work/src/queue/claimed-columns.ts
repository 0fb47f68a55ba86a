/** `w` is a row of work_items: what its worker gets of it. */
export const claimedColumns = `w.id, w.project_id AS "projectId", w.key, w.payload, w.failures, w.claims, w.lease_token AS "leaseToken", w.traces, w.created_at AS "createdAt"`;

/** As before its claim, in `state`; one whose earlier worker died over it stays under suspicion. */
export const givenBack = (state: string): string =>
  `worker_id = NULL, lease_token = w.lease_token + 1, claims = greatest(w.claims - 1, 0), state = CASE WHEN w.claims > 1 THEN 'SUSPECT' ELSE ${state} END`;
