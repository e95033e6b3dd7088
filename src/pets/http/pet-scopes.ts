import { defineScope } from '@animal-store/api-keys';

export const petScopes = [defineScope('pets:read'), defineScope('pets:write')];
