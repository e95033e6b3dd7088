import type { Component, React } from './swagger-ui.js';

/** Indents JSON text without changing the spelling of its numbers and strings. */
export function indentedJson(text: string): string {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g) ?? [];
  let indented = '';
  let depth = 0;
  tokens.forEach((token, index) => {
    const opens = token === '[' || token === '{';
    const closes = token === ']' || token === '}';
    const isEmpty = closes && (tokens[index - 1] === '[' || tokens[index - 1] === '{');
    if (closes) depth--;
    if (closes && !isEmpty) indented += `\n${'  '.repeat(depth)}`;
    indented += token;
    if (opens) depth++;
    const next = tokens[index + 1];
    if (token === ',' || (opens && next !== ']' && next !== '}')) indented += `\n${'  '.repeat(depth)}`;
    if (token === ':') indented += ' ';
  });
  return indented;
}

interface ResponseBodyProps {
  readonly content: unknown;
  readonly contentType?: string;
  readonly getComponent: (name: string, container: boolean) => Component;
}
interface ConstraintProps {
  readonly constraint: { readonly scope: string; readonly value: string };
}

/**
 * A plugin of Swagger UI: response bodies and the bounds in schemas keep all their digits. Swagger UI shows JSON after
 * `JSON.parse`, which rounds an int64.
 */
export function exactNumbers() {
  return {
    wrapComponents: {
      responseBody:
        (Original: Component, { React }: { readonly React: React }) =>
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
      JSONSchema202012KeywordConstraint:
        (Original: Component, { React }: { readonly React: React }) =>
        ({ constraint }: ConstraintProps) => {
          // Only the bounds of int64 are this large in the document. JSON.parse rounds them to these values.
          const value = constraint.value
            .replace('-9223372036854776000', '-9223372036854775808')
            .replace('9223372036854776000', '9223372036854775807');
          return React.createElement(Original, { constraint: { ...constraint, value } });
        },
    },
  };
}
