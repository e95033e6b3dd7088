import type { SwaggerUiResponse } from './swagger-ui.js';

/** Swagger UI splits every header at its commas, even a date, and shows the parts without the space. */
export function wholeHeaders<Response extends Pick<SwaggerUiResponse, 'headers'>>(response: Response) {
  for (const [name, value] of Object.entries(response.headers)) {
    if (Array.isArray(value)) response.headers[name] = value.join(', ');
  }
  return response as Response & { readonly headers: Record<string, string> };
}
