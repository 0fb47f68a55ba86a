import { v7 } from 'uuid';

/** A new UUIDv7 (contract.md §1). */
export const newId = (): string => v7();
