import { v7 } from 'uuid';

/** A new UUIDv7 (contract.md §1). */
export const newId = (): string => v7();

/** The instant that a UUIDv7 begins with. */
export const instantOf = (id: string): Date => new Date(parseInt(id.slice(0, 8) + id.slice(9, 13), 16));

/** The lowest UUIDv7 of an instant: its first 48 bits are milliseconds since 1970 (RFC 9562). */
export function lowestIdOf(milliseconds: number): string {
  const hex = Math.max(0, milliseconds).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
