import { keyIn } from './key.js';
import { addressed } from './plain-paths.js';
import { sendForm } from './send-forms.js';
import type { SwaggerUiResponse } from './swagger-ui.js';

/** Where Swagger UI stores the key. */
const STORED_KEY = 'authorized';

/** The operations that the page has from the beginning, to read and to send, until Swagger UI has drawn them. */
export class OperationList {
  readonly key: HTMLInputElement;

  constructor(
    private readonly root: HTMLElement,
    onResponse: (response: SwaggerUiResponse) => void,
  ) {
    root.querySelector<HTMLElement>('#loading')!.hidden = false;
    this.key = root.querySelector('#list-key')!;
    // The default, because the reader may have entered a value by now.
    this.key.defaultValue = storedKey();
    for (const button of root.querySelectorAll('button')) button.disabled = false;
    root.addEventListener('submit', (event) => {
      event.preventDefault();
      void sendForm(event.target as HTMLFormElement, keyIn(this.key.value), onResponse);
    });
    root.addEventListener('toggle', this.onToggle, true);
    addEventListener('hashchange', this.open);
    this.open();
  }

  /** Swagger UI replaces it: at once, or when a reader who has entered something presses the button. */
  makeWay(swaggerUi: HTMLElement, useKey: (key: string) => void): void {
    const isUsed = this.isUsed();
    swaggerUi.hidden = isUsed;
    if (!isUsed) return this.remove();
    const button = document.createElement('button');
    button.textContent = 'Open Swagger UI';
    button.addEventListener('click', () => {
      const key = keyIn(this.key.value);
      if (key !== storedKey()) useKey(key);
      swaggerUi.hidden = false;
      this.remove();
    });
    this.root.querySelector('#loading')!.replaceChildren('Swagger UI is there. ', button);
  }

  /** Swagger UI could not be loaded. */
  isAll(): void {
    this.root.querySelector('#loading')!.textContent =
      'Swagger UI could not be loaded. Every operation can be read and sent here.';
  }

  /** Whether anything was entered or sent. */
  private isUsed(): boolean {
    const fields = [
      ...this.root.querySelectorAll<HTMLInputElement | HTMLOutputElement>('input, textarea, output'),
    ];
    return fields.some(({ value, defaultValue }) => value !== defaultValue);
  }

  /** Swagger UI opens what the address names. */
  private remove(): void {
    removeEventListener('hashchange', this.open);
    this.root.remove();
  }

  private readonly open = (): void => {
    const named = document.getElementById(addressed().slice(1));
    if (named instanceof HTMLDetailsElement) named.open = true;
  };

  private readonly onToggle = ({ target }: Event): void => {
    const { open, id } = target as HTMLDetailsElement;
    if (open) history.replaceState(null, '', `#${id}`);
  };
}

function storedKey(): string {
  try {
    const { apiKey } = JSON.parse(localStorage.getItem(STORED_KEY) ?? '{}') as {
      apiKey?: { value?: unknown };
    };
    return typeof apiKey?.value === 'string' ? apiKey.value : '';
  } catch {
    // Another program on this host has stored something else, at which Swagger UI would fail.
    localStorage.removeItem(STORED_KEY);
    return '';
  }
}
