/** What a tracer does with work that an earlier request has caused. Spans are texts, as in `traceparent`. */
export interface Tracer {
  /** The span that runs; null without one. */
  activeSpan(): string | null;
  /** Runs `work` in a trace of its own, with a link to the span that has caused it. */
  linked<T>(name: string, cause: string, work: () => Promise<T>): Promise<T>;
}

let tracer: Tracer | null = null;

/** How work that is done later refers to its cause. Without a tracer it does not. */
export const Traces = {
  /** Call it before the first request; null for none, as at first. */
  use(newTracer: Tracer | null): void {
    tracer = newTracer;
  },

  activeSpan(): string | null {
    return tracer?.activeSpan() ?? null;
  },

  linked<T>(name: string, cause: string | null, work: () => Promise<T>): Promise<T> {
    return tracer === null || cause === null ? work() : tracer.linked(name, cause, work);
  },
};
