/** Freed now instead of leaving megabytes to the garbage collector. Other views of it become empty. */
export function freeBuffer({ buffer }: Uint8Array): void {
  (buffer as ArrayBuffer).transfer(0);
}
