import {
  type CountedResponse,
  type Outcome,
  type PlanLimits,
  type Quota,
  quotaAfter,
  quotaAt,
  quotaIn,
  SHOWN_OUTCOMES,
  type Usage,
} from './quota.js';
import { outcomesText, quotaText, untilText } from './quota-text.js';

const TICK_MS = 1_000;
const SVG = 'http://www.w3.org/2000/svg';
const PLOT_HEIGHT = 22;
const STEP = 5;

/** The heights differ, and a refused request has a gap, because some readers do not see colours. */
const BARS: Readonly<Record<Outcome, readonly { y: number; height: number }[]>> = {
  allowed: [{ y: 12, height: 10 }],
  refused: [
    { y: 6, height: 6 },
    { y: 15, height: 7 },
  ],
  banned: [{ y: 0, height: 22 }],
};

/** The bar with the quota of the caller, in an element that the page has for it. */
export class QuotaBar {
  private quota: Quota | null = null;
  private announcement: string | null = null;
  private readonly status: HTMLElement;
  private readonly resets: HTMLElement;
  private readonly meters: HTMLElement;
  private readonly plot: SVGSVGElement;

  constructor(
    root: HTMLElement,
    private readonly plans: PlanLimits,
    private readonly now: () => number,
  ) {
    this.status = withAttributes(document.createElement('p'), { class: 'quota-status', role: 'status' });
    this.status.textContent = 'Execute an operation: what is left of your quota is shown here.';
    this.meters = withAttributes(document.createElement('div'), { class: 'quota-meters' });
    // Outside of the status, which would be read aloud every second.
    this.resets = withAttributes(document.createElement('p'), { class: 'quota-resets' });
    const size = { width: 0, height: PLOT_HEIGHT };
    this.plot = withAttributes(document.createElementNS(SVG, 'svg'), { class: 'quota-plot', ...size });
    root.append(this.status, this.meters, this.resets, this.plot);
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
    this.status.textContent = text;
  }

  private show(): void {
    if (!this.quota) return;
    const nowMs = this.now();
    const quota = quotaAt(this.quota, nowMs);
    const { minute, day, bannedUntilMs } = quota;
    const text = this.announcement ?? quotaText(quota);
    // Setting the same text again would be read aloud again.
    if (this.status.textContent !== text) this.status.textContent = text;
    this.status.classList.toggle('quota-banned', bannedUntilMs !== null);
    this.meters.replaceChildren(meter('minute', minute), ...(day ? [meter('day', day)] : []));
    this.resets.textContent = resetsText(quota, nowMs);
  }

  private showPlot(): void {
    const { outcomes } = this.quota!;
    const label = outcomesText(outcomes);
    withAttributes(this.plot, { role: 'img', width: SHOWN_OUTCOMES * STEP, 'aria-label': label });
    const title = document.createElementNS(SVG, 'title');
    title.textContent = label;
    const bars = outcomes.flatMap((outcome, index) =>
      BARS[outcome].map((place) => {
        const bar = { class: `quota-${outcome}`, x: index * STEP, width: STEP - 2, ...place };
        return withAttributes(document.createElementNS(SVG, 'rect'), bar);
      }),
    );
    this.plot.replaceChildren(title, ...bars);
  }
}

function resetsText({ minute, day, bannedUntilMs }: Quota, nowMs: number): string {
  if (bannedUntilMs !== null) return `the ban ends in ${untilText(bannedUntilMs, nowMs)}`;
  const ends = [];
  if (minute.resetAtMs > nowMs) ends.push(`minute resets in ${untilText(minute.resetAtMs, nowMs)}`);
  if (day && day.resetAtMs > nowMs) ends.push(`day in ${untilText(day.resetAtMs, nowMs)}`);
  return ends.join(', ');
}

function meter(name: string, { remaining, limit }: { remaining: number; limit: number }): HTMLElement {
  const element = withAttributes(document.createElement('div'), {
    class: 'quota-meter',
    role: 'meter',
    'aria-label': `Requests left this ${name}`,
    'aria-valuemin': 0,
    'aria-valuemax': limit,
    'aria-valuenow': remaining,
  });
  element.style.setProperty('--left', `${(100 * remaining) / limit}%`);
  return element;
}

function withAttributes<E extends Element>(
  element: E,
  attributes: Readonly<Record<string, string | number>>,
): E {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}
