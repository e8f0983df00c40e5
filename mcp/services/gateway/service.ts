import { help } from '../../help.ts'
import { service } from '../../service.ts'

export default service({
  label: 'A',
  slug: 'gateway',
  name: 'Routing gateway',
  description:
    'Discovers and qualifies agent supply, and says GO, HOLD or STOP before money is spent. Public utility needs no membership.',
  version: '0.8.0',
  interfaces: [{ binding: 'JSONRPC', path: '/a2a/v1', version: '1.0' }],
  card: {
    path: '/.well-known/agent-card.json',
    inputModes: ['text/plain', 'application/json'],
    outputModes: ['text/plain', 'application/json'],
  },
  auth: ['public'],
  tools: [help({ mcp: false })],
  fallback: 'help',
})
