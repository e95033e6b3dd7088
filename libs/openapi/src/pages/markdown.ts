import { Marked, Renderer, type Tokens } from 'marked';
import { escapeHtml, PATHS, unescapeHtml } from './page-layout.js';

/** What a link or the search can name on a page. */
export interface PageSection {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** The pages that this server makes of files of the repository, by how the paths of the files end. */
const SERVED: readonly (readonly [RegExp, string])[] = [
  [/^(.*\/)?clients\/typescript\/README\.md/, PATHS.client],
  [/^(.*\/)?CHANGELOG\.md/, PATHS.changelog],
  [/^(.*\/)?openapi\.json/, PATHS.document],
  [/^(.*\/)?errors\.md/, PATHS.errors],
  [/^(.*\/)?exploring\.md/, PATHS.explorer],
  [/^(.*api\/)?README\.md/, PATHS.guides],
  [/^(.*api\/)?([\w-]+)\.md/, `${PATHS.guides}/$2`],
];

class PageRenderer extends Renderer {
  /** The codes that have an id already. */
  private readonly codes = new Set<string>();

  constructor(private readonly publicPath: string) {
    super();
  }

  /** Has an id, as on GitHub, so that links can name it. */
  override heading({ tokens, depth, text }: Tokens.Heading): string {
    return `<h${depth} id="${fragmentOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  }

  // Wide code scrolls by itself, also with the keyboard, and so do tables.
  override code({ text }: Tokens.Code): string {
    return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
  }

  /** The first item of a code has it as id, so that links can name an error. */
  override listitem(item: Tokens.ListItem): string {
    const html = super.listitem(item);
    const [, code] = /^<li><code>(\w+)<\/code> \d{3}:/.exec(html) ?? [];
    if (code === undefined || this.codes.has(code)) return html;
    this.codes.add(code);
    return html.replace('<li>', `<li id="${code}">`);
  }

  /** Each cell has the title of its column, for narrow screens, where a row is one below the other. */
  override table(table: Tokens.Table): string {
    const titles = table.header.map(({ tokens }) =>
      this.parser.parseInline(tokens, this.parser.textRenderer),
    );
    const rows = table.rows.map((cells) => {
      const text = cells.map(({ tokens }, at) => {
        const title = escapeHtml(titles[at]!);
        return `<td data-title="${title}">${this.parser.parseInline(tokens)}</td>\n`;
      });
      return `<tr>\n${text.join('')}</tr>\n`;
    });
    const head = `<tr>\n${titles.map((title) => `<th>${escapeHtml(title)}</th>\n`).join('')}</tr>\n`;
    return `<div class="wide" tabindex="0"><table>\n<thead>\n${head}</thead>\n<tbody>${rows.join('')}</tbody></table>\n</div>\n`;
  }

  /** A link to a file of the repository that is not on this server becomes its text. */
  override link({ href, ...rest }: Tokens.Link): string {
    const [file, page] = SERVED.find(([file]) => file.test(href)) ?? [];
    const link = { ...rest, href: file ? href.replace(file, page!) : href };
    // The OpenAPI document names paths of this server as callers see them.
    const isPublic = this.publicPath !== '' && link.href.startsWith(`${this.publicPath}/`);
    if (/^\/(?!\/)/.test(link.href))
      return super.link({ ...link, href: isPublic ? link.href : this.publicPath + link.href });
    return /^(https?:|mailto:|#)/.test(link.href) ? super.link(link) : this.parser.parseInline(link.tokens);
  }

  /** HTML is shown as text, and comments are left out. */
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return text.startsWith('<!--') ? '' : escapeHtml(text);
  }
}

/**
 * The HTML of a page of this project's Markdown.
 *
 * @param publicPath comes before the paths of links to this server
 */
export function renderPage(markdown: string, publicPath: string): string {
  return new Marked()
    .setOptions({ renderer: new PageRenderer(publicPath) })
    .parse(markdown, { async: false });
}

/** The sections and codes of a page, with their texts, and the text before them. */
export function sectionsOf(html: string): { readonly beginning: string; readonly sections: PageSection[] } {
  const [beginning, ...parts] = html.split(/(?=<(?:h[2-6]|li) id=)/) as [string, ...string[]];
  const sections = parts.map((part) => {
    const [, id, title] = /^<\w+ id="([^"]*)">([^]*?)<\/(?:h\d|code)>/.exec(part)!;
    return { id: id!, title: textOf(title!), text: textOf(part) };
  });
  return { beginning: textOf(beginning), sections };
}

function textOf(html: string): string {
  return unescapeHtml(
    html
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

function fragmentOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s.-]/g, '')
    .trim()
    .replace(/\s+/g, '-');
}
