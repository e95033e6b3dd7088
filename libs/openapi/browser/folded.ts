import type { Component, Stored, SwaggerUi } from './swagger-ui.js';

interface ResponsesProps {
  /** The responses by status. */
  readonly responses: Stored;
  readonly tryItOutResponse?: Stored;
}

/**
 * A plugin of Swagger UI: the headers of a documented response are folded until they are opened, and so are the errors
 * that an operation documents, except the one that was just received.
 */
export function folded() {
  return {
    wrapComponents: {
      headers:
        (Original: Component, { React }: Pick<SwaggerUi, 'React'>) =>
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
