import { Socket } from 'node:net';

/** More would delay the first response and use memory for all of them, for little gain. */
const MAX_WAITING = 32;

/**
 * Sends responses that become ready at the same moment together, such as those to requests that are served together or
 * stored by one commit. A client on the same machine, such as a proxy, is then woken once for many responses.
 *
 * Node corks a socket while it writes a response, and uncorks it at its end. From there the socket stays corked for a
 * moment. A Node that did not cork would send each response at once.
 */
export class ResponseQueue {
  // One array, reused: V8 would treat arrays that are created again and again, and live for a turn, as long-lived.
  private readonly waiting: Socket[] = [];

  /** Lets the responses on `socket` wait for those on others. */
  add(socket: Socket): void {
    socket.uncork = () => {
      if (socket.writableCorked === 1) this.enqueue(socket);
      else Socket.prototype.uncork.call(socket);
    };
    // What waits would otherwise have been sent before.
    socket.destroy = (error) => {
      Socket.prototype.uncork.call(socket);
      return Socket.prototype.destroy.call(socket, error);
    };
    socket._writev = writeTogether;
  }

  private enqueue(socket: Socket): void {
    const length = this.waiting.push(socket);
    if (length === MAX_WAITING) this.flush();
    else if (length === 1) process.nextTick(this.flush);
  }

  private readonly flush = (): void => {
    const { waiting } = this;
    // `uncork` throws nothing: a socket emits its errors later.
    for (const socket of waiting) Socket.prototype.uncork.call(socket);
    waiting.length = 0;
  };
}

/** Node adds an empty chunk after a body passed to `end`, and two chunks cost more than one. */
const writeTogether: NonNullable<Socket['_writev']> = function (this: Socket, chunks, callback) {
  const [first, second] = chunks as readonly { chunk: Buffer | string; encoding: BufferEncoding }[];
  if (chunks.length === 2 && second!.chunk.length === 0) this._write(first!.chunk, first!.encoding, callback);
  else Socket.prototype._writev!.call(this, chunks, callback);
};
