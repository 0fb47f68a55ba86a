declare module 'mjml' {
  interface MjmlError {
    line: number;
    message: string;
    tagName: string;
    formattedMessage: string;
  }
  function mjml2html(
    source: string,
    options: {
      validationLevel: 'soft';
      keepComments: boolean;
      ignoreIncludes: boolean;
      fonts: Record<string, string>;
    },
  ): Promise<{ html: string; errors: MjmlError[] }>;
  export { mjml2html as default };
}
