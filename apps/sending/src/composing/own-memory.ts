/** Smaller ones lie in memory that others share, and are not worth it. */
const worthIt = 256 * 1024;

/** Bytes that nobody looks at any more, at once: the garbage collector would let several of ten megabytes pile up. */
export function giveBack(bytes: Uint8Array): void {
  if (bytes.byteLength >= worthIt && isAlone(bytes)) (bytes.buffer as ArrayBuffer).transfer(0);
}

export const isAlone = ({ byteLength, buffer }: Uint8Array): boolean => byteLength === buffer.byteLength;
