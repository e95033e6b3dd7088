import { defineScope } from '@animal-store/api-keys';

export const orderScopes = [defineScope('orders:read'), defineScope('orders:write')];
