import { once } from 'node:events';
import { connect } from 'node:net';

/** The longest time without a byte of the response. */
const PATIENCE_MS = 5_000;

/** Sends the first `bytes` bytes of a request, waits for `before`, and resets the connection. */
export async function cutRequest(
  port: number,
  request: string,
  bytes: number,
  before: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  if (bytes > 0) await new Promise((sent) => socket.write(request.slice(0, bytes), 'latin1', sent));
  await before();
  socket.resetAndDestroy();
}

/**
 * Sends a whole request, takes the first `bytes` bytes of its response and not one more, and resets the connection.
 * @returns what it received: less when the response is shorter.
 */
export async function cutResponse(port: number, request: string, bytes: number): Promise<string> {
  let received = '';
  let end = bytes;
  let isEnough = (): void => undefined;
  const enough = new Promise<void>((resolve) => (isEnough = resolve));
  const socket = connect({
    port,
    host: '127.0.0.1',
    onread: {
      // With one byte at a time, the rest of the response stays unread in the operating system.
      buffer: Buffer.alloc(1),
      callback: (_, buffer) => {
        received += String.fromCharCode(buffer[0]!);
        if (received.endsWith('\r\n\r\n')) end = Math.min(end, lengthAnnouncedBy(received));
        if (received.length < end) return true;
        isEnough();
        return false;
      },
    },
  });
  socket.on('error', () => undefined).on('close', isEnough);
  socket.setTimeout(PATIENCE_MS, isEnough);
  await once(socket, 'connect');
  socket.write(request, 'latin1');
  if (bytes > 0) await enough;
  socket.resetAndDestroy();
  return received;
}

/** The length in bytes of a response with this head. */
function lengthAnnouncedBy(head: string): number {
  return head.length + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
}
