import { defineScope } from '@animal-store/api-keys';

/** Setting and seeing photos needs the scopes of animals. Removing them is for a few: a key has to name it. */
export const photoScopes = [defineScope('photos:moderate', { explicit: true })];
