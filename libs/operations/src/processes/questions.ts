import { EventEmitter, once } from 'node:events';

/** The other end of a channel between two processes: a worker as the primary sees it, or the primary. */
export interface Peer {
  send?(message: object, callback: (error: Error | null) => void): unknown;
  on(event: 'message' | 'disconnect', listener: (message: Message) => void): unknown;
}

export type Answers = Record<string, () => Promise<unknown>>;

interface Message {
  readonly question?: string;
  readonly answerTo?: string;
  readonly answer?: unknown;
}

/**
 * Answers the questions of another process, and returns a function that asks it. That resolves with null when the other
 * process ends or does not respond in time. Who asks the same meanwhile gets the same answer, so any number of health
 * checks is one question at a time.
 */
export function converse(
  peer: Peer,
  answers: Answers,
  limitMs: number,
): (question: string) => Promise<unknown> {
  const open = new Map<string, Promise<unknown>>();
  const answered = new EventEmitter();
  // That the other process has ended is noticed elsewhere.
  const send = (message: Message): void => void peer.send?.(message, () => undefined);

  async function answerTo(question: string): Promise<void> {
    const answer = await answers[question]?.().catch(() => null);
    send({ answerTo: question, answer: answer ?? null });
  }

  peer.on('message', ({ question, answerTo: asked, answer }) => {
    if (question !== undefined) void answerTo(question);
    else if (asked !== undefined) answered.emit(asked, answer);
  });
  peer.on('disconnect', () => [...open.keys()].forEach((question) => answered.emit(question, null)));

  return (question) => {
    let answer = open.get(question);
    if (answer === undefined) {
      answer = once(answered, question, { signal: AbortSignal.timeout(limitMs) })
        .then(([found]: unknown[]) => found)
        .catch(() => null)
        .finally(() => open.delete(question));
      open.set(question, answer);
      send({ question });
    }
    return answer;
  };
}
