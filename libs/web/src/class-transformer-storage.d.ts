/**
 * The metadata of class-transformer's decorators. The package does not export it; @nestjs/mapped-types uses it in the
 * same way.
 */
declare module 'class-transformer/cjs/storage.js' {
  import type { MetadataStorage } from 'class-transformer/types/MetadataStorage.js';
  export const defaultMetadataStorage: MetadataStorage;
}
