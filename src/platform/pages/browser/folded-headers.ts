import type { Component, React } from './swagger-ui.js';

/** A plugin of Swagger UI: the headers of a documented response are folded until they are opened. */
export function foldedHeaders() {
  return {
    wrapComponents: {
      headers:
        (Original: Component, { React }: { readonly React: React }) =>
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
