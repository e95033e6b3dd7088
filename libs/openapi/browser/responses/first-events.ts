/** How long the explorer listens to a stream, and how much of it it shows. */
const LISTENS_MS = 5_000;
const MAX_CHARACTERS = 65_536;

/** `fetch` for Swagger UI, which waits for the end of every response. That of a stream is what comes first. */
export async function fetchFirstEvents(url: string, request: RequestInit): Promise<Response> {
  const response = await fetch(url, request);
  const type = response.headers.get('Content-Type') ?? '';
  if (!type.startsWith('text/event-stream') || response.body === null) return response;
  const { status, statusText, headers } = response;
  const shown = new Response(await firstOf(response.body), { status, statusText, headers });
  return Object.defineProperty(shown, 'url', { value: response.url });
}

async function firstOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  // The connection is closed, and the pending read is done.
  const timer = setTimeout(() => void reader.cancel(), LISTENS_MS);
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      text += decoder.decode(read.value, { stream: true });
      if (text.length > MAX_CHARACTERS) break;
    }
  } finally {
    clearTimeout(timer);
    void reader.cancel().catch(() => undefined);
  }
  return `${text}: this page listens for ${LISTENS_MS / 1_000} seconds\n`;
}
