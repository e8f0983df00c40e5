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
  keywords: [
    'review my website',
    'website check',
    'how healthy is my site',
    'all checks on a page',
    'audit of my homepage',
    'site quality',
    'full audit of a website',
    'check everything about a page',
    'health check of a site',
    'complete site review',
    'website report',
    'seo and security',
    'Website komplett prüfen',
    "audit complet d'un site",
    'auditoría completa',
    'analisi completa del sito',
    'controllo completo del sito',
    'website volledig controleren',
    'auditoria completa',
    'サイト診断',
  ],
  examples: [{ url: 'http://example.com/' }],
})
