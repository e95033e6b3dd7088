/** The parts of Swagger UI that the plugins of the explorer use. Its own package has no types for them. */

export interface Element {
  readonly type: unknown;
}
export type Component<Props = never> = (props: Props) => Element | null;
export type Child = Element | string | boolean | null | readonly Child[];

export interface React {
  readonly createElement: (type: unknown, props: object | null, ...children: Child[]) => Element;
  readonly useState: <State>(initial: State) => [State, (state: State) => void];
  readonly useEffect: (effect: () => (() => void) | undefined, dependencies: readonly unknown[]) => void;
}

/** An immutable map or list, as Swagger UI stores everything. */
export interface Stored {
  readonly size: number;
  get(name: string): unknown;
  getIn(path: readonly string[]): unknown;
  find(matches: (value: Stored) => boolean): Stored | undefined;
  filter(matches: (value: unknown, name: string) => boolean): Stored;
  toJS(): unknown;
}

/** An operation by its path in the document and its method in lower case. */
export interface OperationRef {
  readonly path: string;
  readonly method: string;
}

/** What a plugin gets: the store of Swagger UI, with its actions and selectors. */
export interface SwaggerUi {
  readonly React: React;
  readonly specActions: {
    changeParamByIdentity(place: [string, string], parameter: Stored, value: string | string[]): void;
    execute(operation: OperationRef & { readonly operation: Stored }): void;
    updateResolvedSubtree(path: readonly string[], value: unknown): void;
  };
  readonly specSelectors: {
    specJson(): Stored;
    specJsonWithResolvedSubtrees(): Stored;
    parameterValues(place: [string, string]): Stored;
  };
  readonly oas3Selectors: {
    requestBodyValue(path: string, method: string): unknown;
    requestContentType(path: string, method: string): string | undefined;
    selectedServer(): string | undefined;
  };
  readonly errActions: {
    clear(which: object): void;
    newAuthErr(error: object): void;
  };
  readonly layoutActions: { parseDeepLinkHash(hash: string): void };
  readonly authActions: { authorizeWithPersistOption(authorized: object): void };
  readonly authSelectors: { authorized(): Stored };
  getStore(): { subscribe(listener: () => void): () => void };
}

export function serverUrl({ oas3Selectors }: SwaggerUi): string {
  return new URL(oas3Selectors.selectedServer() ?? '', location.href).href;
}

/** A response as the interceptor of Swagger UI gets it. */
export interface SwaggerUiResponse {
  readonly url: string;
  readonly status: number;
  readonly text?: string;
  headers: Record<string, string | string[]>;
}

/** Swagger UI splits every header at its commas, even a date, and shows the parts without the space. */
export function wholeHeaders<Response extends Pick<SwaggerUiResponse, 'headers'>>(response: Response) {
  for (const [name, value] of Object.entries(response.headers)) {
    if (Array.isArray(value)) response.headers[name] = value.join(', ');
  }
  return response as Response & { readonly headers: Record<string, string> };
}
