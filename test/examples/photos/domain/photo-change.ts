export const PHOTO_CHANGE_KINDS = ['added', 'replaced', 'removed'] as const;

export type PhotoChangeKind = (typeof PHOTO_CHANGE_KINDS)[number];

/** What has happened to the photo of an animal. Later changes of one animal have larger ids. */
export interface PhotoChange {
  readonly id: bigint;
  readonly kind: PhotoChangeKind;
}
