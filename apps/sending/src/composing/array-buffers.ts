/** Smaller buffers share memory with others, and transferring them would not pay. */
const minTransferBytes = 256 * 1024;

/** Like `freeBuffer` of `@posthorn/contracts`, whose import would cost each composing thread 8 MB and 100 ms. */
export function freeIfLarge(bytes: Uint8Array): void {
  if (bytes.byteLength >= minTransferBytes && ownsItsBuffer(bytes)) (bytes.buffer as ArrayBuffer).transfer(0);
}

export const ownsItsBuffer = ({ byteLength, buffer }: Uint8Array): boolean =>
  byteLength === buffer.byteLength;
