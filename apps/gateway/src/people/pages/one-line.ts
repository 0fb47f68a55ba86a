/** Names are shown to other people, so they must be one line without control or direction characters. */
export const isOneLine = (name: string): boolean => /^[^\p{Cc}\p{Bidi_C}\u2028\u2029]{1,100}$/u.test(name);
