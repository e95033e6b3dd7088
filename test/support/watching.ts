import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const OPS = resolve(__dirname, '../../ops');

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
}

export const alerts = readFileSync(join(OPS, 'prometheus/alerts.yml'), 'utf8');
const dashboard = JSON.parse(readFileSync(join(OPS, 'grafana/animal-store.json'), 'utf8')) as Dashboard;

export const alertExpressions = [...alerts.matchAll(/^ +expr: (.+)$/gm)].map(([, expression]) => expression!);
export const dashboardExpressions = dashboard.panels.flatMap(({ targets = [] }) =>
  targets.map(({ expr }) => expr),
);

/** Grafana's variables, with values that Prometheus can read. */
export function withoutVariables(expression: string): string {
  return expression
    .replaceAll('$__rate_interval', '5m')
    .replaceAll('$__range', '6h')
    .replaceAll('$instance', '.*');
}
