/** A name, and no page of text, in whatever order it is written: others are shown it. */
export const isOneLine = (name: string): boolean => /^[^\p{Cc}\p{Bidi_C}\u2028\u2029]{1,100}$/u.test(name);
