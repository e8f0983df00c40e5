import { z } from 'zod'
import { bundle } from './bundle/bundle.ts'
import { DomainInput, toTarget } from './domain.ts'

const domain = ({ domain }: { domain: string }) => ({ domain })

export default bundle({
  name: 'domain-report',
  title: 'Report on a domain',
  description:
    'Runs dns-lookup, email-auth, whois-rdap, ip-geo, tech-detect and security-headers on one domain for one price; a part that fails leaves the others. Free over A2A and MCP (counts as 6 calls), else 0.01 USD.',
  argument: 'domain',
  input: z.object({ domain: DomainInput }),
  price: '0.01',
  parts: {
    'dns-lookup': domain,
    'email-auth': domain,
    'whois-rdap': domain,
    'ip-geo': ({ domain }) => ({ host: toTarget(domain) }),
    'tech-detect': ({ domain }) => ({ url: `https://${toTarget(domain)}/` }),
    'security-headers': ({ domain }) => ({ url: `https://${toTarget(domain)}/` }),
  },
  target: ({ domain }) => toTarget(domain),
  tags: ['domain', 'dns', 'bundle'],
  keywords: ['full', 'mail', 'everything', 'check', 'overview', 'analysis'],
  examples: [{ domain: 'example.com' }],
})
