import {
  type CountedResponse,
  outcomesText,
  type PlanLimits,
  type Quota,
  quotaAfter,
  quotaAt,
  quotaIn,
  quotaText,
  type QuotaWindow,
  untilText,
  type Usage,
} from './quota.js';

const TICK_MS = 1_000;

export class QuotaBar {
  private quota: Quota | null = null;
  private announcement: string | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly plans: PlanLimits,
    private readonly now: () => number,
  ) {
    this.part('status').textContent = 'Execute an operation: what is left of your quota is shown here.';
    setInterval(() => this.show(), TICK_MS);
  }

  responded(response: CountedResponse): void {
    const quota = quotaAfter(this.quota, response, this.plans, this.now());
    if (quota === this.quota) return;
    this.quota = quota;
    this.announcement = null;
    this.show();
    this.showPlot();
  }

  /** Shows what is left before anything is executed. */
  used(usage: Usage): void {
    this.quota = quotaIn(usage, this.quota, this.plans);
    this.show();
  }

  /** Announces something else than the quota, until the next response. */
  announce(text: string): void {
    this.announcement = text;
    this.part('status').textContent = text;
  }

  private part(name: string): HTMLElement {
    return this.root.querySelector<HTMLElement>(`.quota-${name}`)!;
  }

  private show(): void {
    if (!this.quota) return;
    const nowMs = this.now();
    const quota = quotaAt(this.quota, nowMs);
    const { minute, day, bannedUntilMs } = quota;
    const status = this.part('status');
    const text = this.announcement ?? quotaText(quota);
    // Setting the same text again would be read aloud again.
    if (status.textContent !== text) status.textContent = text;
    status.classList.toggle('quota-ban', bannedUntilMs !== null);
    this.part('meters').innerHTML = meter('minute', minute) + (day ? meter('day', day) : '');
    this.part('resets').textContent = resetsText(quota, nowMs);
  }

  private showPlot(): void {
    const { outcomes } = this.quota!;
    const plot = this.part('plot');
    plot.title = outcomesText(outcomes);
    plot.role = 'img';
    plot.ariaLabel = plot.title;
    plot.innerHTML = outcomes.map((outcome) => `<i class="quota-${outcome}"></i>`).join('');
  }
}

function resetsText({ minute, day, bannedUntilMs }: Quota, nowMs: number): string {
  if (bannedUntilMs !== null) return `the ban ends in ${untilText(bannedUntilMs, nowMs)}`;
  const ends = [];
  if (minute.resetAtMs > nowMs) ends.push(`minute resets in ${untilText(minute.resetAtMs, nowMs)}`);
  if (day && day.resetAtMs > nowMs) ends.push(`day in ${untilText(day.resetAtMs, nowMs)}`);
  return ends.join(', ');
}

function meter(name: string, { remaining, limit }: QuotaWindow): string {
  const values = `aria-valuemin="0" aria-valuemax="${limit}" aria-valuenow="${remaining}"`;
  return `<div class="quota-meter" role="meter" aria-label="Requests left this ${name}" ${values} style="--left: ${(100 * remaining) / limit}%"></div>`;
}
