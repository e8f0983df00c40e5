import { help } from '../../help.ts'
import { service } from '../../service.ts'
import { identifyAlly } from './ally/ally.ts'
import { lookAtAllies } from './ally/look.ts'
import allyRegister from './ally-register.ts'
import batch from './batch.ts'
import dnsLookup from './dns-lookup.ts'
import domainReport from './domain-report.ts'
import jsonRepair from './json-repair.ts'
import peerNetwork from './peer-network.ts'
import siteAudit from './site-audit.ts'
import skills from './skills.ts'
import textEntities from './text-entities.ts'
import urlMetadata from './url-metadata.ts'
import walletReport from './wallet-report.ts'

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
  tools: [
    dnsLookup,
    urlMetadata,
    jsonRepair,
    textEntities,
    batch,
    siteAudit,
    domainReport,
    walletReport,
    skills,
    allyRegister,
    help({ mcp: false }),
  ],
  identify: { apiKey: identifyAlly },
  documents: [peerNetwork],
  documentation: '/peer-network',
  jobs: [lookAtAllies],
  fallback: 'help',
})
