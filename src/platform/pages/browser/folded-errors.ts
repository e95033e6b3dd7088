import type { Component, Stored, SwaggerUi } from './swagger-ui.js';

interface ResponsesProps {
  /** By status. */
  readonly responses: Stored;
  readonly tryItOutResponse?: Stored;
}

/** A plugin of Swagger UI: the errors that an operation documents are folded, except the one that was just received. */
export function foldedErrors() {
  return {
    wrapComponents: {
      responses:
        (Original: Component, { React }: Pick<SwaggerUi, 'React'>) =>
        (props: ResponsesProps) => {
          const { createElement, useState } = React;
          const [isOpen, setOpen] = useState(false);
          const { responses, tryItOutResponse } = props;
          const received = String(tryItOutResponse?.get('status'));
          const isFolded = (_: unknown, status: string) => Number(status) >= 400 && status !== received;
          const count = responses.filter(isFolded).size;
          const shown = isOpen ? responses : responses.filter((...one) => !isFolded(...one));
          return createElement(
            'div',
            null,
            createElement(Original, { ...props, responses: shown }),
            count > 0 &&
              createElement(
                'button',
                {
                  type: 'button',
                  className: 'btn errors-toggle',
                  'aria-expanded': isOpen,
                  onClick: () => setOpen(!isOpen),
                },
                isOpen ? 'Hide the errors' : `Show the errors (${count})`,
              ),
          );
        },
    },
  };
}
