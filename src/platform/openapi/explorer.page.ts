/**
 * What runs in the browser, as source text (`explorer.ts`): the functions here may use each other and nothing else.
 * Swagger UI shows JSON after `JSON.parse`, which rounds an int64; what it shows is put together from the text instead.
 */

/** JSON text on several lines, with every number and string spelled as it was. */
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

/** A plugin of Swagger UI: the headers of each documented response stay folded until they are asked for. */
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
            // Drawn only when open: a hundred of them would make the page slow.
            isOpen ? React.createElement(Original, props) : '',
          );
        },
    },
  };
}

/** A plugin of Swagger UI: response bodies and the bounds in schemas keep every digit. */
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
          // The document's only numbers as large as this are the bounds of an int64, and this is what JSON.parse makes of them.
          const value = constraint.value
            .replace('-9223372036854776000', '-9223372036854775808')
            .replace('9223372036854776000', '9223372036854775807');
          return React.createElement(Original, { constraint: { ...constraint, value } });
        },
    },
  };
}

interface Answer {
  headers: Record<string, string | string[]>;
}

/** Swagger UI cuts every header at its commas, a date too, and shows the pieces without the space. */
export function wholeHeaders(answer: Answer): Answer {
  for (const [name, value] of Object.entries(answer.headers)) {
    if (Array.isArray(value)) answer.headers[name] = value.join(', ');
  }
  return answer;
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
