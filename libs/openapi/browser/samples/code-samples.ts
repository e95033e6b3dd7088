import { fileOf, resultOf, SAMPLES, type SampleRequest } from './samples.js';
import {
  type Component,
  type Element,
  type OperationRef,
  serverUrl,
  type Stored,
  type SwaggerUi,
} from '../swagger-ui.js';

type Content = Record<string, { schema: object }>;

interface ResponsesProps extends OperationRef {
  /** The place of the responses in the document: `paths`, the path, the method, … */
  readonly specPath: { get(index: number): string };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type?: string };
}

/**
 * A plugin of Swagger UI: code for the request as it is entered, in several languages. It replaces Swagger UI's own
 * curl command, which always has the key in it.
 */
export function codeSamples() {
  return {
    wrapComponents: {
      curl: () => () => null,
      responses: (Original: Component, system: SwaggerUi) => {
        const Samples = samplesOf(system);
        return (props: ResponsesProps) =>
          system.React.createElement(
            'div',
            null,
            // The service sends an event; nobody calls it.
            props.specPath.get(0) === 'paths' && system.React.createElement(Samples, props),
            system.React.createElement(Original, props),
          );
      },
    },
  };
}

function samplesOf(system: SwaggerUi): Component<OperationRef> {
  const { createElement, useState, useEffect } = system.React;

  const Choice = ({ place }: { place: OperationRef }): Element => {
    const [language, setLanguage] = useState('curl');
    const [hasKey, setHasKey] = useState(false);
    const [, redraw] = useState({});
    useEffect(() => system.getStore().subscribe(() => redraw({})), []);
    const key = hasKey ? keyOf(system) : null;
    const code = SAMPLES[language]!(enteredRequest(system, place), key);
    const languages = Object.keys(SAMPLES).map((name) =>
      createElement('option', { key: name, value: name }, name),
    );
    const onLanguage = (event: { target: HTMLSelectElement }) => setLanguage(event.target.value);
    const onKey = (event: { target: HTMLInputElement }) => setHasKey(event.target.checked);
    const onCopy = () => void navigator.clipboard.writeText(code);
    return createElement(
      'div',
      null,
      createElement(
        'div',
        { className: 'samples-choice' },
        createElement(
          'select',
          { value: language, onChange: onLanguage, 'aria-label': 'Language' },
          languages,
        ),
        createElement(
          'label',
          null,
          createElement('input', { type: 'checkbox', checked: hasKey, onChange: onKey }),
          ' with my key',
        ),
        // A page without TLS has no clipboard.
        isSecureContext &&
          createElement('button', { type: 'button', className: 'btn', onClick: onCopy }, 'Copy'),
        createElement('a', { href: addressOf(system, place) }, 'Link to this operation'),
      ),
      createElement('pre', { tabIndex: 0, className: 'samples-code' }, createElement('code', null, code)),
    );
  };

  return ({ path, method }) => {
    const [isOpen, setOpen] = useState(true);
    const onToggle = (event: { currentTarget: HTMLDetailsElement }) => setOpen(event.currentTarget.open);
    return createElement(
      'details',
      { className: 'samples', open: isOpen, onToggle },
      createElement('summary', null, 'Code for this request'),
      isOpen && createElement(Choice, { place: { path, method } }),
    );
  };
}

/** The fragment by which Swagger UI names an operation: `#/Ships/listShips`. */
function addressOf({ specSelectors }: SwaggerUi, { path, method }: OperationRef): string {
  const operation = specSelectors.specJson().getIn(['paths', path, method]) as Stored;
  return `#/${String(operation.getIn(['tags', '0']))}/${String(operation.get('operationId'))}`;
}

function keyOf({ authSelectors }: SwaggerUi): string | null {
  const key = authSelectors.authorized().getIn(['apiKey', 'value']);
  return typeof key === 'string' ? key : null;
}

function enteredRequest(system: SwaggerUi, { path, method }: OperationRef): SampleRequest {
  const operation = system.specSelectors.specJson().getIn(['paths', path, method]) as Stored;
  const {
    operationId,
    parameters = [],
    requestBody,
    responses,
  } = operation.toJS() as {
    operationId: string;
    parameters?: readonly Parameter[];
    requestBody?: { content: Content };
    responses: Readonly<Record<string, { content?: Content }>>;
  };
  const values = system.specSelectors.parameterValues([path, method]).toJS() as Record<string, unknown>;
  const entered = parameters.flatMap((parameter) => {
    const value = values[`${parameter.in}.${parameter.name}`];
    // A list has several values.
    const texts = [value].flat().filter((one) => typeof one === 'string' || typeof one === 'number');
    const json = texts.map((text) => jsonOf(String(text), parameter.schema.type));
    const input = parameter.schema.type === 'array' ? `[${json.join(', ')}]` : json[0]!;
    return texts.map(String).flatMap((text) => (text === '' ? [] : [{ ...parameter, text, input }]));
  });
  const ofKind = (kind: string) => entered.filter((parameter) => parameter.in === kind);
  const filledIn = ofKind('path').reduce(
    (filled, { name, text }) => filled.replace(`{${name}}`, encodeURIComponent(text)),
    path,
  );
  const query = new URLSearchParams(ofKind('query').map(({ name, text }) => [name, text])).toString();
  const baseUrl = serverUrl(system);
  // The path of an operation with servers of its own is not below the version of the other operations.
  const isAtRoot = system.specSelectors.specJson().getIn(['paths', path, 'servers']) !== undefined;
  const body = requestBody ? system.oas3Selectors.requestBodyValue(path, method) : null;
  const file = fileOf(requestBody?.content, system.oas3Selectors.requestContentType(path, method), body);
  const headers = ofKind('header').map(({ name, text }) => [name, text]);
  const mediaType = file?.mediaType ?? (typeof body === 'string' ? 'application/json' : null);
  if (mediaType !== null) headers.unshift(['Content-Type', mediaType]);
  return {
    client: document.getElementById('content')!.dataset['client']!,
    operationId,
    method: method.toUpperCase(),
    baseUrl,
    url: (isAtRoot ? baseUrl.replace(/\/v\d+$/, '') : baseUrl) + filledIn + (query && `?${query}`),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: typeof body === 'string' && !file ? body : null,
    file,
    result: resultOf(responses['200']?.content),
    parameters: Object.fromEntries(
      [...ofKind('path'), ...ofKind('query')].map(({ name, input }) => [name, input]),
    ),
  };
}

/** A parameter as JSON. What is no value of its type stays a text. */
function jsonOf(text: string, type: string | undefined): string {
  const isValue =
    (type === 'integer' && /^-?\d+$/.test(text)) || (type === 'boolean' && /^(true|false)$/.test(text));
  return isValue ? text : JSON.stringify(text);
}
