import { VersioningType, type VersioningOptions } from '@nestjs/common';

/** The version is the first segment of the path: a controller of version '1' is under `/v1`. */
export const versioning: VersioningOptions = { type: VersioningType.URI };

export const VERSION_PREFIX = '/v1';
