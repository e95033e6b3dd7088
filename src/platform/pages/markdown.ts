import { escapeHtml } from './html.js';

/**
 * The HTML of Markdown as this project writes it: headings, paragraphs, lists, tables, fenced code, and in a line code,
 * bold, emphasis and links. Other HTML is shown as text, and comments are left out.
 */
export function htmlOf(markdown: string): string {
  const lines = markdown.replace(/<!--[^]*?-->/g, '').split('\n');
  const blocks: string[] = [];
  let next = 0;
  /** The lines from here on that belong to the block, which ends before the first that does not. */
  const take = (belongs: (line: string) => boolean): string[] => {
    const from = next;
    while (next < lines.length && belongs(lines[next]!)) next++;
    return lines.slice(from, next);
  };
  while (next < lines.length) {
    const line = lines[next]!;
    if (line.trim() === '') {
      next++;
    } else if (line.startsWith('```')) {
      next++;
      const code = take((text) => !text.startsWith('```'));
      next++;
      blocks.push(`<pre tabindex="0"><code>${escapeHtml(code.join('\n'))}</code></pre>`);
    } else if (HEADING.test(line)) {
      next++;
      blocks.push(heading(line));
    } else if (line.startsWith('|')) {
      blocks.push(table(take((text) => text.startsWith('|'))));
    } else if (line.startsWith('- ')) {
      blocks.push(list(take((text) => text.startsWith('- ') || text.startsWith('  '))));
    } else {
      blocks.push(`<p>${inline(take(continuesParagraph).join(' '))}</p>`);
    }
  }
  return blocks.join('\n');
}

const HEADING = /^(#{1,6}) (.*)$/;

function continuesParagraph(line: string): boolean {
  return line.trim() !== '' && !/^(#{1,6} |\||- |```)/.test(line);
}

function heading(line: string): string {
  const [, marks, text] = HEADING.exec(line)!;
  const id = text!
    .toLowerCase()
    .replace(/[^\w\s.-]/g, '')
    .trim()
    .replace(/\s+/g, '-');
  const tag = `h${marks!.length}`;
  return `<${tag} id="${id}">${inline(text!)}</${tag}>`;
}

function list(lines: readonly string[]): string {
  const items: string[] = [];
  for (const line of lines) {
    if (line.startsWith('- ')) items.push(line.slice(2));
    else items.push(`${items.pop()!} ${line.trim()}`);
  }
  return `<ul>\n${items.map((item) => `<li>${inline(item)}</li>\n`).join('')}</ul>`;
}

function table([head = '', , ...rows]: readonly string[]): string {
  const row = (line: string, tag: string) => {
    const cells = line.split('|').slice(1, -1);
    return `<tr>${cells.map((cell) => `<${tag}>${inline(cell.trim())}</${tag}>`).join('')}</tr>\n`;
  };
  return (
    // Wide tables scroll by themselves, also with the keyboard.
    `<div class="wide" tabindex="0"><table>\n<thead>${row(head, 'th')}</thead>\n` +
    `<tbody>${rows.map((line) => row(line, 'td')).join('')}</tbody></table></div>`
  );
}

/** What stands in a line. Code first, as nothing in it has a meaning. */
const INLINE = /`([^`]+)`|\*\*(.+?)\*\*|\b_(.+?)_\b|\[([^\]]+)\]\(([^)\s]+)\)|<(https?:[^>\s]+)>/g;

function inline(text: string): string {
  let html = '';
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [all, code, bold, emphasis, label, target, url] = match;
    html += escapeHtml(text.slice(from, match.index));
    from = match.index + all.length;
    if (code !== undefined) html += `<code>${escapeHtml(code)}</code>`;
    else if (bold !== undefined) html += `<strong>${inline(bold)}</strong>`;
    else if (emphasis !== undefined) html += `<em>${inline(emphasis)}</em>`;
    else if (url !== undefined) html += link(url, escapeHtml(url));
    else html += link(target!, inline(label!));
  }
  return html + escapeHtml(text.slice(from));
}

/** A file of the repository is not on this server: only its name is shown. */
function link(target: string, label: string): string {
  return /^(https?:|\/|#)/.test(target) ? `<a href="${escapeHtml(target)}">${label}</a>` : label;
}
