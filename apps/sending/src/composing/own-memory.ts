/** Smaller ones lie in memory that others share, and are not worth it. */
const isWorthwhile = 256 * 1024;

/** As `giveBack` of contracts, which would cost each of the threads that compose 8 MB and a tenth of a second. */
export function release(bytes: Uint8Array): void {
  if (bytes.byteLength >= isWorthwhile && isAlone(bytes)) (bytes.buffer as ArrayBuffer).transfer(0);
}

export const isAlone = ({ byteLength, buffer }: Uint8Array): boolean => byteLength === buffer.byteLength;
