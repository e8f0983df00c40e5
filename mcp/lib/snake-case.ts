/** A name in snake_case: `maxTokens`, `max-tokens` and `HTTPStatus` become `max_tokens`, `max_tokens` and `http_status`. */
export const toSnakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
