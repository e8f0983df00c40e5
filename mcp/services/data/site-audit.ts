import { z } from 'zod'
import { AddressInput, toHostname } from './address.ts'
import { bundle } from './bundle/bundle.ts'

const url = ({ url }: { url: string }) => ({ url })

export default bundle({
  name: 'site-audit',
  title: 'Audit a site',
  description:
    'Runs url-metadata, seo-audit, security-headers, structured-data, lang-hreflang, brand-assets, redirect-trace and robots-analyze on one page for one price; a part that fails leaves the others. Free over A2A and MCP (counts as 8 calls), else 0.01 USD.',
  argument: 'url',
  input: z.object({ url: AddressInput }),
  price: '0.01',
  parts: {
    'url-metadata': url,
    'seo-audit': url,
    'security-headers': url,
    'structured-data': url,
    'lang-hreflang': url,
    'brand-assets': url,
    'redirect-trace': url,
    'robots-analyze': ({ url }) => ({ domain: toHostname(url) }),
  },
  target: ({ url }) => toHostname(url),
  tags: ['web', 'audit', 'bundle'],
  keywords: ['website', 'review', 'complete', 'check', 'health', 'everything'],
  examples: [{ url: 'http://example.com/' }],
})
