/** The memory of bytes that have it to themselves, at once: the garbage collector would let several of ten megabytes pile up. Whoever still looks sees nothing. */
export function release({ buffer }: Uint8Array): void {
  (buffer as ArrayBuffer).transfer(0);
}
