import { CPU_COLUMN, median, type ScenarioResult } from './result.js';

/** Scenarios whose CPU time is drawn; the others repeat them at other sizes. */
const DRAWN = ['list-kept', 'list-by-statement', 'get', 'add', 'mixed'];

const WIDTH = 860;
const LABEL_WIDTH = 290;
const VALUE_WIDTH = 90;
const BAR_HEIGHT = 16;
const ROW_HEIGHT = 22;
const TITLE_HEIGHT = 40;
const MARGIN = 16;
/** Bars are cut off at this many times the median. */
const LONGEST_BAR = 4;

/** Bars of CPU time per request; on a light and on a dark page the colours of the page. */
export function chart(results: readonly ScenarioResult[]): string {
  const drawn = results.filter(({ name }) => DRAWN.includes(name));
  let y = MARGIN;
  const parts: string[] = [];
  for (const result of drawn) {
    const cpuAt = result.columns.findIndex(({ title }) => title === CPU_COLUMN);
    const values = result.rows.map(({ cells }) => cells[cpuAt] ?? 0);
    // One bar many times as long as the others would leave nothing of them to compare.
    const longest = Math.min(Math.max(...values), LONGEST_BAR * median(values));
    parts.push(
      `<text class="title" x="${MARGIN}" y="${y + 20}">${escaped(result.title)}: CPU µs per request</text>`,
    );
    y += TITLE_HEIGHT;
    result.rows.forEach(({ label, cells }, index) => {
      const value = cells[cpuAt] ?? 0;
      const share = Math.min(1, value / longest);
      const width = Math.max(1, share * (WIDTH - LABEL_WIDTH - VALUE_WIDTH - 2 * MARGIN));
      const base = y + BAR_HEIGHT - 4;
      const x = MARGIN + LABEL_WIDTH;
      parts.push(
        `<text x="${x - 8}" y="${base}" text-anchor="end">${escaped(label)}</text>`,
        `<rect class="${index === 0 ? 'own' : 'peer'}" x="${x}" y="${y}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/>`,
        `<text x="${(x + width + 8).toFixed(1)}" y="${base}">${value > longest ? '… ' : ''}${value.toFixed(1)}</text>`,
      );
      y += ROW_HEIGHT;
    });
    y += MARGIN;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" role="img" aria-label="CPU time per request">
<style>
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; font-size: 15px; }
  .own { fill: #1f883d; }
  .peer { fill: #8c959f; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .own { fill: #3fb950; }
    .peer { fill: #6e7681; }
  }
</style>
${parts.join('\n')}
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
