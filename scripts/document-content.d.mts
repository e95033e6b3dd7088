export type DocumentContent =
  | { readonly kind: 'json'; readonly schema: object }
  | {
      readonly kind: 'bytes';
      /** Its media types. */
      readonly types: readonly string[];
      readonly maxBytes: number;
    };

export function contentOf(
  content: Readonly<Record<string, { readonly schema?: unknown }>> | undefined,
  place: string,
): DocumentContent | undefined;
