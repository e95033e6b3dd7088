import type { Component, OperationRef, Stored, SwaggerUi } from '../swagger-ui.js';

type LiveResponseProps = OperationRef & { readonly response: Stored };

/** A plugin of Swagger UI: a response whose `Link` has a next page gets a button for it. */
export function nextPage() {
  return {
    wrapComponents: {
      liveResponse: (Original: Component, system: SwaggerUi) => (props: LiveResponseProps) => {
        const { createElement } = system.React;
        const headers = (props.response.get('headers') as Stored | undefined)?.toJS() ?? {};
        const query = nextPageQuery((headers as Record<string, string>)['link'] ?? '');
        const onClick = () => showPage(system, props, query!);
        return createElement(
          'div',
          null,
          createElement(Original, props),
          query &&
            createElement('button', { type: 'button', className: 'btn next-page', onClick }, 'Next page'),
        );
      },
    },
  };
}

/** Fills in the query, so that the form shows what is sent, and sends it. */
function showPage(
  { specActions, specSelectors }: SwaggerUi,
  { path, method }: OperationRef,
  query: URLSearchParams,
): void {
  const operation = specSelectors.specJsonWithResolvedSubtrees().getIn(['paths', path, method]) as Stored;
  const parameters = operation.get('parameters') as Stored;
  for (const name of new Set(query.keys())) {
    const parameter = parameters.find((one) => one.get('in') === 'query' && one.get('name') === name);
    const isList = parameter?.getIn(['schema', 'type']) === 'array';
    const value = isList ? query.getAll(name) : query.get(name)!;
    if (parameter) specActions.changeParamByIdentity([path, method], parameter, value);
  }
  specActions.execute({ path, method, operation });
}

/** The query of the next page that a `Link` header names; null when it names none. */
export function nextPageQuery(link: string): URLSearchParams | null {
  const url = /<([^>]*)>;\s*rel="next"/.exec(link)?.[1];
  // A relative URL needs a base, and the query does not depend on it.
  return url === undefined ? null : new URL(url, 'http://store').searchParams;
}
