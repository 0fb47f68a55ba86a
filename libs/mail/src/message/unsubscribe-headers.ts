/** One click without a page (RFC 8058): the mail client posts to the URL by itself. Both belong inside DKIM's `h=`. */
export const unsubscribeHeaders = (url: string): readonly (readonly [name: string, value: string])[] => [
  ['List-Unsubscribe', `<${url}>`],
  ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
];
