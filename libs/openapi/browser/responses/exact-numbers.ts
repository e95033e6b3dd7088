import type { Component, React } from '../swagger-ui.js';

/** Indents JSON text without changing the spelling of its numbers and strings. */
export function indentedJson(text: string): string {
  let depth = 0;
  const newLine = (deeper: number) => `\n${'  '.repeat((depth += deeper))}`;
  // An empty list or object is one token.
  return text.replace(/"(?:[^"\\]|\\.)*"|\s+|\[\s*\]|\{\s*\}|[[\]{},:]/g, (token) => {
    if ('[{'.includes(token)) return token + newLine(1);
    if (']}'.includes(token)) return newLine(-1) + token;
    if (token === ',') return token + newLine(0);
    if (token === ':') return ': ';
    return token.startsWith('"') ? token : token.replace(/\s/g, '');
  });
}

interface ResponseBodyProps {
  readonly content: unknown;
  readonly contentType?: string;
  readonly getComponent: (name: string, container: boolean) => Component;
}

/**
 * A plugin of Swagger UI: response bodies are shown with all their digits. Swagger UI shows JSON after `JSON.parse`,
 * which rounds an int64.
 */
export function exactNumbers() {
  return {
    wrapComponents: {
      responseBody:
        (Original: Component, { React }: { readonly React: Pick<React, 'createElement'> }) =>
        (props: ResponseBodyProps) => {
          const { content, contentType = '', getComponent } = props;
          if (typeof content !== 'string' || !contentType.includes('json')) {
            return React.createElement(Original, props);
          }
          const code = { language: 'json', downloadable: true, fileName: 'response.json', canCopy: true };
          return React.createElement(
            'div',
            null,
            React.createElement('h5', null, 'Response body'),
            React.createElement(getComponent('HighlightCode', true), code, indentedJson(content)),
          );
        },
    },
  };
}
