import { context, type Context, ProxyTracerProvider, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { observeBatches, Traces } from '@animal-store/kernel';

/** Version, trace, parent and flags, each of them in lower case (W3C Trace Context). */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;

/** The trace that the caller named, if its `traceparent` is well-formed. */
export function traceIdFrom(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? TRACEPARENT.exec(header)?.[1] : undefined;
}

/** The trace of what runs now; undefined when OpenTelemetry is off. */
export function activeTraceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}

/**
 * Makes work that is shared, or done later, part of traces. What is sent for one item is a child of its span. What is
 * sent for several is a child of the first one's span; each of the others has a span of its own with a link to it.
 * What is done later has a trace of its own, with a link to its cause. Does nothing when OpenTelemetry is off.
 *
 * @param service the name of the tracer
 */
export function traceWork(service: string): void {
  const provider = trace.getTracerProvider();
  const tracer = provider.getTracer(service);
  if (provider instanceof ProxyTracerProvider && !provider.getDelegateTracer(service)) return;
  observeBatches<Context>({
    origin: () => context.active(),
    sending: (origins, send) => {
      const [first, ...others] = origins as [Context, ...Context[]];
      if (others.length === 0) return context.with(first, send);
      const shared = tracer.startSpan('shared call', { attributes: { requests: origins.length } }, first);
      const links = [{ context: shared.spanContext() }];
      const spans = [shared, ...others.map((other) => tracer.startSpan('shared call', { links }, other))];
      const result = context.with(trace.setSpan(first, shared), send);
      const end = () => spans.forEach((span) => span.end());
      Promise.resolve(result).then(end, end);
      return result;
    },
  });
  Traces.use({
    activeSpan() {
      const span = trace.getActiveSpan()?.spanContext();
      return span
        ? `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`
        : null;
    },
    linked(name, cause, work) {
      const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(cause) ?? [];
      const links = [{ context: { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true } }];
      const span = tracer.startSpan(name, { links }, ROOT_CONTEXT);
      return context.with(trace.setSpan(ROOT_CONTEXT, span), work).finally(() => span.end());
    },
  });
}
