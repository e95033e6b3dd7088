import type { Child, Component, SwaggerUi } from './swagger-ui.js';

interface DeepLinkProps {
  /** A tag, or a tag and an operation: `Ships/listShips`. */
  readonly path: string;
  readonly text: Child;
}

/**
 * A plugin of Swagger UI: the path of an operation is a text. Swagger UI makes it a link within the button that opens
 * the operation, and a control within a control cannot be reached by everyone. The address has the operation once it is
 * open, and a link beside its samples has it too. It is scrolled to where the bar does not hide it.
 */
export function plainPaths() {
  return {
    // Swagger UI leaves the operation, which is within this element, below the bar with the quota.
    statePlugins: {
      layout: {
        wrapActions: {
          scrollToElement: () => (element: HTMLElement) => element.firstElementChild?.scrollIntoView(),
        },
      },
    },
    wrapComponents: {
      DeepLink:
        (Original: Component<DeepLinkProps>, { React }: Pick<SwaggerUi, 'React'>) =>
        (props: DeepLinkProps) =>
          props.path.includes('/')
            ? React.createElement('span', null, props.text)
            : React.createElement(Original, props),
    },
  };
}

/** Opens the operation that the address names, also when a link on the same page has changed it. */
export function followAddress({ layoutActions }: SwaggerUi): void {
  addEventListener('hashchange', () => layoutActions.parseDeepLinkHash(addressed()));
}

/** What the address names: `#/Ships/listShips`. One that cannot be decoded would stop Swagger UI, and is dropped. */
export function addressed(): string {
  try {
    return decodeURIComponent(location.hash);
  } catch {
    history.replaceState(null, '', location.pathname);
    return '';
  }
}
