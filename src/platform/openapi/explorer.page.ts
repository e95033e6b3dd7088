/**
 * Code that runs in the browser. `explorer.ts` sends the source text of these functions, so they may use only each
 * other. Swagger UI shows JSON after `JSON.parse`, which rounds an int64; these functions format the original text
 * instead.
 */

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

interface Element {
  readonly type: unknown;
}
type Component<Props = never> = (props: Props) => Element;
interface SwaggerUi {
  readonly React: {
    createElement(type: unknown, props: object | null, ...children: (Element | string)[]): Element;
    useState<State>(initial: State): [State, (state: State) => void];
  };
}
interface ResponseBodyProps {
  readonly content: unknown;
  readonly contentType?: string;
  readonly getComponent: (name: string, container: boolean) => Component;
}
interface ConstraintProps {
  readonly constraint: { readonly scope: string; readonly value: string };
}

/** A plugin of Swagger UI: the headers of a documented response are folded until they are opened. */
export function foldedHeaders() {
  return {
    wrapComponents: {
      headers:
        (Original: Component, { React }: SwaggerUi) =>
        (props: object) => {
          const [isOpen, setOpen] = React.useState(false);
          const onToggle = (event: { currentTarget: { open: boolean } }) => setOpen(event.currentTarget.open);
          return React.createElement(
            'details',
            { onToggle },
            React.createElement('summary', null, 'Headers'),
            // Rendered only when open, as a hundred of them would make the page slow.
            isOpen ? React.createElement(Original, props) : '',
          );
        },
    },
  };
}

/** A plugin of Swagger UI: response bodies and the bounds in schemas keep all their digits. */
export function exactNumbers() {
  return {
    wrapComponents: {
      responseBody:
        (Original: Component, { React }: SwaggerUi) =>
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
        (Original: Component, { React }: SwaggerUi) =>
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

interface SwaggerUiResponse {
  headers: Record<string, string | string[]>;
}

/** Swagger UI splits every header at its commas, even a date, and shows the parts without the space. */
export function wholeHeaders(response: SwaggerUiResponse): SwaggerUiResponse {
  for (const [name, value] of Object.entries(response.headers)) {
    if (Array.isArray(value)) response.headers[name] = value.join(', ');
  }
  return response;
}

export function startExplorer(swaggerUi: (settings: object) => unknown): void {
  swaggerUi({
    url: '/openapi.json',
    dom_id: '#swagger-ui',
    deepLinking: true,
    displayRequestDuration: true,
    persistAuthorization: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    responseInterceptor: wholeHeaders,
    plugins: [exactNumbers, foldedHeaders],
  });
}
