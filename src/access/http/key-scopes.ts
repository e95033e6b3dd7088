import { defineScope } from '@animal-store/api-keys';

export const keyScopes = [defineScope('keys:manage')];
