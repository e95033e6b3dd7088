import type { Settings } from '../settings/settings.js';

/** The line for the operator when the server cannot listen; null for any other error. */
export function listenProblem(error: unknown, { server, metrics }: Settings): string | null {
  const { syscall, code, port, message } = error as NodeJS.ErrnoException & { port?: number };
  if (!['listen', 'getaddrinfo'].includes(syscall ?? '')) return null;
  if (code === 'EADDRINUSE' && port !== undefined) {
    const isOfMetrics = port === metrics.port && port !== server.port;
    const setting = isOfMetrics ? 'METRICS_PORT' : 'PORT';
    return `Port ${port} on ${(isOfMetrics ? metrics : server).host} is in use by another process. Stop it, or set ${setting} to another one, such as ${port + 1}.`;
  }
  return `The server cannot listen on the address set by PORT, HOST, METRICS_PORT or METRICS_HOST: ${message}.`;
}
