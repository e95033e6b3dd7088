import { Marked, Renderer, type Tokens } from 'marked';
import { escapeHtml } from './html.js';

class PageRenderer extends Renderer {
  /** Has an id, as on GitHub, so that links can name it. */
  override heading({ tokens, depth, text }: Tokens.Heading): string {
    return `<h${depth} id="${fragmentOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  }

  // Wide code and tables scroll by themselves, also with the keyboard.
  override code({ text }: Tokens.Code): string {
    return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
  }

  override table(table: Tokens.Table): string {
    return `<div class="wide" tabindex="0">${super.table(table)}</div>\n`;
  }

  /** A row that begins with code has it as id, so that links can name an error or a setting. */
  override tablerow({ text }: Tokens.TableRow): string {
    const [, code] = /^<td><code>(\w+)<\/code>/.exec(text) ?? [];
    return `<tr${code === undefined ? '' : ` id="${code}"`}>\n${text}</tr>\n`;
  }

  /** A file of the repository is not on this server: only its name is shown. */
  override link(link: Tokens.Link): string {
    const isReachable = /^(https?:|\/|#)/.test(link.href);
    return isReachable ? super.link(link) : this.parser.parseInline(link.tokens);
  }

  /** HTML is shown as text, and comments are left out. */
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return text.startsWith('<!--') ? '' : escapeHtml(text);
  }
}

const marked = new Marked().setOptions({ renderer: new PageRenderer() });

/** The HTML of a page of this project's Markdown. */
export function htmlOf(markdown: string): string {
  return marked.parse(markdown, { async: false });
}

function fragmentOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s.-]/g, '')
    .trim()
    .replace(/\s+/g, '-');
}
