import { settings } from '../../kernel/setting.ts'
import { list } from '../../lib/setting-texts.ts'

export const dnsSettings = settings({
  servers: {
    variable: 'DNS_SERVERS',
    schema: list,
    description:
      'Resolvers: addresses with optional :port, or https:// DoH URLs. Default: those of the system.',
    example: '9.9.9.9,https://dns.example.net/dns-query',
  },
})
