import { help } from '../../help.ts'
import { service } from '../../service.ts'
import dnsLookup from './dns-lookup.ts'
import jsonRepair from './json-repair.ts'
import textEntities from './text-entities.ts'
import urlMetadata from './url-metadata.ts'

export default service({
  label: 'D',
  slug: 'data',
  name: 'Data skills',
  description:
    'Data skills for agents: DNS and domain intelligence, web pages, content extraction. Free over A2A as "<skill-id> <value>".',
  version: '1.1.0',
  interfaces: [{ binding: 'JSONRPC', path: '/a2a', version: '0.3.0' }],
  card: {
    path: '/.well-known/agent-card.json',
    inputModes: ['text/plain', 'application/json'],
    outputModes: ['application/json'],
  },
  auth: ['public'],
  tools: [dnsLookup, urlMetadata, jsonRepair, textEntities, help({ mcp: false })],
  fallback: 'help',
})
