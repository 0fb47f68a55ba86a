/** The whole body; of a live stream, which has no end, the first part. */
export async function textOfResponse(response: Response): Promise<string> {
  const isEndless =
    response.headers.get('content-type')?.startsWith('text/event-stream') === true &&
    new URL(response.url).pathname.endsWith('/stream');
  if (!isEndless || !response.body) return response.text();
  const reader = response.body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}
