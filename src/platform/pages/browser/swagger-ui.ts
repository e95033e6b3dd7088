/** The parts of Swagger UI that the plugins of the explorer use. Its own package has no types for them. */

export interface Element {
  readonly type: unknown;
}
export type Component<Props = never> = (props: Props) => Element;
export type Child = Element | string | null | readonly Child[];

export interface React {
  createElement(type: unknown, props: object | null, ...children: Child[]): Element;
  useState<State>(initial: State): [State, (state: State) => void];
}

export interface ReactWithEffects extends React {
  useEffect(effect: () => (() => void) | void, dependencies?: readonly unknown[]): void;
}

/** An immutable map, as Swagger UI stores everything. */
export interface Stored {
  get(name: string): unknown;
  toJS(): unknown;
}

/** An operation by its path and method. */
export interface OperationPlace {
  readonly path: string;
  readonly method: string;
}

/** What a plugin gets: the store of Swagger UI with its actions and selectors. */
export interface SwaggerUi {
  readonly React: React;
  readonly specActions: {
    changeParam(place: [string, string], name: string, location: string, value: string): void;
    execute(operation: OperationPlace & { readonly operation: unknown }): void;
  };
  readonly specSelectors: {
    specJson(): Stored;
    parameterValues(place: [string, string]): Stored;
    operationWithMeta?: unknown;
  };
  readonly oas3Selectors: {
    requestBodyValue(path: string, method: string): unknown;
    selectedServer(): string;
  };
  readonly authActions: { authorizeWithPersistOption(authorized: object): void };
  readonly authSelectors: { authorized(): Stored };
  getStore(): { subscribe(listener: () => void): () => void };
}

/** A response as the interceptor of Swagger UI gets it. */
export interface SwaggerUiResponse {
  readonly url: string;
  readonly status: number;
  readonly text?: string;
  headers: Record<string, string | string[]>;
}
