import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Metrics } from '@animal-store/operations';
import { alertExpressions, alerts, dashboardExpressions, withoutVariables } from '../support/watching.js';
import { hasPromtool, promtoolProblem } from '../support/promtool.js';
import { TestApp } from '../support/test-app.js';

const OPS = resolve(__dirname, '../../ops');

const alertNames = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);

describe('What watches the service', () => {
  let store: TestApp;
  /** The labels of every series, by its name. */
  let series: Map<string, readonly string[]>;

  beforeAll(async () => {
    store = await TestApp.start({ METRICS_PORT: '0' });
    series = new Map();
    for (const metric of store.app.get(Metrics).registry.getMetricsAsArray()) {
      const { name, type, labelNames } = metric as unknown as {
        name: string;
        type: unknown;
        labelNames: string[];
      };
      const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      for (const suffix of suffixes) series.set(`${name}${suffix}`, labelNames);
    }
  });

  afterAll(() => store.stop());

  /** What an expression names that the service does not have: a series, or a label of one. */
  function unknownIn(expression: string): string[] {
    const unknown: string[] = [];
    for (const [, name, , selector = ''] of expression.matchAll(
      /\b((?:animal_store|nodejs|process)_\w+)(\{([^}]*)\})?/g,
    )) {
      const labels = series.get(name!);
      if (!labels) unknown.push(name!);
      for (const [, label] of selector.matchAll(/(\w+)(?:=|!=|=~|!~)"/g)) {
        if (!['job', 'instance', 'le', ...(labels ?? [])].includes(label!)) unknown.push(`${name}.${label}`);
      }
    }
    return unknown;
  }

  it('alerts on series that exist', () => {
    expect(
      alertExpressions.filter((expression) => !/\b((animal_store|nodejs|process)_|up\b)/.test(expression)),
    ).toEqual([]);
    expect(alertExpressions.flatMap(unknownIn)).toEqual([]);
  });

  it('leads from each alert to what to do about it', () => {
    const urls = [...alerts.matchAll(/- alert: (\w+)(?:(?!- alert)[^])*?runbook_url: (.+)/g)];
    expect(urls.map(([, name, url]) => [name, url])).toEqual(
      alertNames.map((name) => [name, `docs/incidents.md#${name.toLowerCase()}`]),
    );
    const runbook = readFileSync(resolve(OPS, '../docs/incidents.md'), 'utf8');
    const sections = [...runbook.matchAll(/^### (AnimalStore\w+)\n\n\S/gm)].map(([, name]) => name!);
    expect(sections.toSorted()).toEqual(alertNames.toSorted());
  });

  it('finds the service under any name of its job', () => {
    const everything = [...alertExpressions, ...dashboardExpressions];
    expect(everything.filter((expression) => expression.includes('job='))).toEqual([]);
    // Other services have these series too.
    const foreign = everything.filter((expression) => /\b(nodejs_|process_|up\b)/.test(expression));
    const ours = /\bon \(job, instance\) (present_over_time\()?animal_store_/;
    expect(foreign.filter((expression) => !ours.test(expression))).toEqual([]);
  });

  it('shows series that exist', () => {
    expect(dashboardExpressions.length).toBeGreaterThan(20);
    expect(dashboardExpressions.flatMap(unknownIn)).toEqual([]);
  });

  (hasPromtool() ? describe : describe.skip)('by Prometheus’ own tool', () => {
    const prometheus = join(OPS, 'prometheus');

    it('are valid rules, and an example that Prometheus reads', () => {
      expect(promtoolProblem(prometheus, 'check', 'rules', 'alerts.yml')).toBeNull();
      expect(promtoolProblem(prometheus, 'check', 'config', 'scrape.example.yml')).toBeNull();
    });

    it('fire when they should, at the first event', () => {
      expect(promtoolProblem(prometheus, 'test', 'rules', 'alerts.test.yml')).toBeNull();
      const tested = readFileSync(join(prometheus, 'alerts.test.yml'), 'utf8');
      expect(alertNames.filter((name) => !tested.includes(name))).toEqual([]);
    });

    it('fire in the same way for the usual job of Kubernetes', () => {
      const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
      const tests = readFileSync(join(prometheus, 'alerts.test.yml'), 'utf8');
      writeFileSync(join(folder, 'alerts.yml'), alerts);
      writeFileSync(join(folder, 'test.yml'), tests.replaceAll('animal-store', 'kubernetes-pods'));
      expect(promtoolProblem(folder, 'test', 'rules', 'test.yml')).toBeNull();
      rmSync(folder, { recursive: true });
    });

    it('are expressions that Prometheus reads, also on the dashboard', () => {
      const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
      const rules = dashboardExpressions.map((expression, index) => ({
        record: `panel:${index}`,
        expr: withoutVariables(expression),
      }));
      // JSON is YAML.
      writeFileSync(join(folder, 'rules.yml'), JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
      expect(promtoolProblem(folder, 'check', 'rules', 'rules.yml')).toBeNull();
      rmSync(folder, { recursive: true });
    });
  });
});
