/** The samples of a page of Prometheus metrics. */
export class MetricSamples {
  private readonly samples: { name: string; labels: string; value: number }[] = [];

  constructor(page: string) {
    for (const line of page.split('\n')) {
      const [, name, labels = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name !== undefined) this.samples.push({ name, labels, value: Number(value) });
    }
  }

  has(name: string): boolean {
    return this.samples.some((sample) => sample.name === name);
  }

  /** The sum of all samples of `name` with these labels, such as `plan="enterprise"`. */
  sum(name: string, ...labels: readonly string[]): number {
    const fit = this.samples.filter(
      (sample) => sample.name === name && labels.every((label) => sample.labels.includes(label)),
    );
    return fit.reduce((sum, { value }) => sum + value, 0);
  }

  /** The sum of the samples for each value of one label. */
  by(name: string, label: string): Map<string, number> {
    const sums = new Map<string, number>();
    for (const sample of this.samples) {
      if (sample.name !== name) continue;
      const value = new RegExp(`${label}="([^"]*)"`).exec(sample.labels)?.[1] ?? '';
      sums.set(value, (sums.get(value) ?? 0) + sample.value);
    }
    return sums;
  }
}
