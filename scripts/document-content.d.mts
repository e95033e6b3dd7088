export type DocumentContent =
  | { readonly kind: 'json'; readonly schema: object }
  | {
      readonly kind: 'bytes';
      /** Its media types. */
      readonly types: readonly string[];
      readonly maxBytes: number;
    }
  /** The schema is that of the data of one event. */
  | { readonly kind: 'events'; readonly schema: object };

export function contentOf(
  content: Readonly<Record<string, { readonly schema?: unknown }>> | undefined,
  place: string,
): DocumentContent | undefined;
