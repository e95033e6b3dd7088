import { Marked, Renderer, type Tokens } from 'marked';
import { escapeHtml } from './page-layout.js';

/** What a link or the search can name on a page. */
export interface PagePlace {
  readonly id: string;
  readonly text: string;
}

class PageRenderer extends Renderer {
  readonly places: PagePlace[] = [];

  constructor(private readonly publicPath: string) {
    super();
  }

  /** Has an id, as on GitHub, so that links can name it. */
  override heading({ tokens, depth, text }: Tokens.Heading): string {
    if (depth > 1)
      this.places.push({
        id: fragmentOf(text),
        text: this.parser.parseInline(tokens, this.parser.textRenderer),
      });
    return `<h${depth} id="${fragmentOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  }

  // Wide code scrolls by itself, also with the keyboard, and so do tables.
  override code({ text }: Tokens.Code): string {
    return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
  }

  /**
   * Each cell has the title of its column, for narrow screens, where a row is one below the other. The first row of a
   * code has it as id, so that links can name an error or a setting.
   */
  override table(table: Tokens.Table): string {
    const titles = table.header.map(({ tokens }) =>
      this.parser.parseInline(tokens, this.parser.textRenderer),
    );
    const ids = new Set<string>();
    const rows = table.rows.map((cells) => {
      const text = cells.map(({ tokens }, at) => {
        const title = escapeHtml(titles[at]!);
        return `<td data-title="${title}">${this.parser.parseInline(tokens)}</td>\n`;
      });
      const [, code] = /^<td[^>]*><code>(\w+)<\/code>/.exec(text[0]!) ?? [];
      const id = code === undefined || ids.has(code) ? '' : ` id="${code}"`;
      if (id !== '') this.places.push({ id: code!, text: code! });
      if (code !== undefined) ids.add(code);
      return `<tr${id}>\n${text.join('')}</tr>\n`;
    });
    const head = `<tr>\n${titles.map((title) => `<th>${escapeHtml(title)}</th>\n`).join('')}</tr>\n`;
    return `<div class="wide" tabindex="0"><table>\n<thead>\n${head}</thead>\n<tbody>${rows.join('')}</tbody></table>\n</div>\n`;
  }

  /** A file of the repository is not on this server: only its name is shown. */
  override link(link: Tokens.Link): string {
    if (/^\/(?!\/)/.test(link.href)) return super.link({ ...link, href: this.publicPath + link.href });
    return /^(https?:|#)/.test(link.href) ? super.link(link) : this.parser.parseInline(link.tokens);
  }

  /** HTML is shown as text, and comments are left out. */
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return text.startsWith('<!--') ? '' : escapeHtml(text);
  }
}

/**
 * The HTML of a page of this project's Markdown, and its places.
 *
 * @param publicPath comes before the paths of links to this server
 */
export function renderPage(
  markdown: string,
  publicPath: string,
): { readonly html: string; readonly places: readonly PagePlace[] } {
  const renderer = new PageRenderer(publicPath);
  const html = new Marked().setOptions({ renderer }).parse(markdown, { async: false });
  return { html, places: renderer.places };
}

function fragmentOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s.-]/g, '')
    .trim()
    .replace(/\s+/g, '-');
}
