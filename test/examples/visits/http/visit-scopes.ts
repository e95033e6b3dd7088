import { defineScope } from '@animal-store/api-keys';

export const visitScopes = [defineScope('visits:read'), defineScope('visits:write')];
