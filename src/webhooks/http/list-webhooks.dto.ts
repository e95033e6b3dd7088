import { DEFAULT_LIMIT, PageCursor, PageLimit } from '@animal-store/web';

export class ListWebhooksDto {
  @PageLimit()
  limit: number = DEFAULT_LIMIT;

  @PageCursor()
  cursor?: string;
}
