/** How long templates and campaigns wait for sending, which loads the MJML compiler and what renders at their first use: 2 s, and many more on a busy machine. */
export const renderingTime = { timeoutMs: 25_000 };
