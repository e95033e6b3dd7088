/** What the document has as its address until it is known where the page is. */
const EXAMPLE_URL = 'http://localhost:3000';

/** The operations that the page has from the beginning, until Swagger UI has drawn them. */
export class OperationList {
  constructor(private readonly root: HTMLElement) {
    for (const code of root.querySelectorAll('pre code')) {
      code.textContent = code.textContent.replace(EXAMPLE_URL, location.origin);
    }
    root.addEventListener('toggle', this.onToggle, true);
    addEventListener('hashchange', this.open);
    this.open();
  }

  /** Swagger UI opens what the address names. */
  remove(): void {
    removeEventListener('hashchange', this.open);
    this.root.remove();
  }

  /** Swagger UI does not come. */
  isAll(): void {
    this.root.querySelector('#loading')!.textContent = 'What sends requests could not be loaded.';
  }

  private readonly open = (): void => {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (named instanceof HTMLDetailsElement) named.open = true;
  };

  private readonly onToggle = ({ target }: Event): void => {
    const { open, id } = target as HTMLDetailsElement;
    if (open) history.replaceState(null, '', `#${id}`);
  };
}
