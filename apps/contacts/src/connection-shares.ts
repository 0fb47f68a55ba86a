// Each kind of work that keeps a connection for long has a share of its own, so that none fills the places of
// another; together they leave connections of a pool of five or more to everything else.
export const connectionShares = {
  segmentPreviews: 0.2,
  segmentChanges: 0.2,
  contactChanges: 0.3,
  unsubscribes: 0.2,
} as const;

export const connectionsOf = (databasePool: number, kind: keyof typeof connectionShares): number =>
  Math.max(1, Math.floor(databasePool * connectionShares[kind]));
