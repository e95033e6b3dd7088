import { defineScope } from '@animal-store/api-keys';

export const webhookScopes = [defineScope('webhooks:read'), defineScope('webhooks:write')];
