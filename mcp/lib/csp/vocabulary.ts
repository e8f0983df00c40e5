/** Directives of CSP3 and the specifications that extend it. */
export const directives = new Set(
  'default-src script-src script-src-elem script-src-attr style-src style-src-elem style-src-attr img-src font-src connect-src media-src object-src child-src frame-src worker-src manifest-src fenced-frame-src base-uri sandbox form-action frame-ancestors report-uri report-to upgrade-insecure-requests require-trusted-types-for trusted-types webrtc'.split(
    ' ',
  ),
)

/** Directives that no browser heeds any more, and what took their place. */
export const dead: Readonly<Record<string, string>> = {
  'block-all-mixed-content': 'browsers do this by default; use upgrade-insecure-requests',
  'plugin-types': "use object-src 'none'",
  'prefetch-src': 'it was dropped',
  'navigate-to': 'it was dropped',
  'require-sri-for': 'it was dropped',
  referrer: 'use the Referrer-Policy header',
  'reflected-xss': 'it was dropped',
}

/** Directives that do nothing in a meta element (CSP3 §3.3). */
export const headerOnly = new Set(['frame-ancestors', 'report-uri', 'sandbox'])

/** Directives with no source list, or one of other words. */
export const unlistedDirectives = new Set([
  'sandbox',
  'report-uri',
  'report-to',
  'upgrade-insecure-requests',
  'require-trusted-types-for',
  'trusted-types',
  'webrtc',
  ...Object.keys(dead),
])

/** Keywords that must stand in single quotes. */
export const keywords = new Set(
  'none self unsafe-inline unsafe-eval unsafe-hashes strict-dynamic report-sample wasm-unsafe-eval inline-speculation-rules'.split(
    ' ',
  ),
)

/** Hosts that serve anybody's scripts, or answer with a callback of one's choice, so that allowing them allows much. */
export const openHosts = [
  'cdn.jsdelivr.net',
  'cdnjs.cloudflare.com',
  'unpkg.com',
  'ajax.googleapis.com',
  'esm.sh',
  'rawcdn.githack.com',
  'raw.githubusercontent.com',
  'gist.githubusercontent.com',
  'storage.googleapis.com',
  's3.amazonaws.com',
  'firebasestorage.googleapis.com',
  'www.googleapis.com',
  'accounts.google.com',
  'yastatic.net',
  'code.angularjs.org',
] as const
