/** Frees the buffer now instead of leaving tens of megabytes to the garbage collector. Other views of it become empty. */
export function freeBuffer({ buffer }: Uint8Array): void {
  (buffer as ArrayBuffer).transfer(0);
}
