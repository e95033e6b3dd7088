import type { Request, Response } from 'express';
import { sendText } from './static-content.js';

const request = { fresh: false, acceptsEncodings: () => false } as unknown as Request;

/** A response that notes what is sent. */
function noting(sent: string[]): Response {
  const response = {
    set: () => response,
    vary: () => response,
    send: (bytes: Buffer) => sent.push(bytes.toString()),
  };
  return response as unknown as Response;
}

describe('sendText', () => {
  it('makes the text once for requests at the same time, and again when it could not be made', async () => {
    const made: string[] = [];
    const send = sendText('text/plain', async () => {
      made.push('text');
      await Promise.resolve();
      if (made.length === 1) throw new Error('the ink is dry');
      return 'Opening hours';
    });
    const sent: string[] = [];
    const twice = () => Promise.allSettled([send(request, noting(sent)), send(request, noting(sent))]);

    for (const { status } of await twice()) expect(status).toBe('rejected');
    await twice();
    expect(made).toHaveLength(2);
    expect(sent).toEqual(['Opening hours', 'Opening hours']);
  });

  it('makes the text once, whatever the requests say', async () => {
    const made: string[] = [];
    const send = sendText(
      'text/plain',
      async () => `text ${made.push('text')}`,
      (text, { hostname }) => `${text} for ${hostname}`,
    );
    const sent: string[] = [];
    for (const hostname of ['zoo.example', 'ark.example'])
      await send({ ...request, hostname } as Request, noting(sent));
    expect(sent).toEqual(['text 1 for zoo.example', 'text 1 for ark.example']);
  });
});
