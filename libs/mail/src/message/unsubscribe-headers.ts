export const unsubscribeHeaders = (url: string): readonly (readonly [name: string, value: string])[] => [
  ['List-Unsubscribe', `<${url}>`],
  ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
];
