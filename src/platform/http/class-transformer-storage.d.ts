/** Where class-transformer remembers its decorators. @nestjs/mapped-types looks there too, as there is no other door. */
declare module 'class-transformer/cjs/storage.js' {
  import type { MetadataStorage } from 'class-transformer/types/MetadataStorage.js';
  export const defaultMetadataStorage: MetadataStorage;
}
